#include "app/api/json_text.h"

#include <array>

namespace ondol::api {
namespace {

enum class Extent { kFits, kTooDeep, kTooManyKeys };

// Looks at brackets and colons outside strings, and stops at the first limit.
Extent extent(std::string_view text, int64_t& key_comparisons_left) {
  std::array<int64_t, kJsonDepthMax + 1> keys{};  // of the object that is open at a depth
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kJsonDepthMax) return Extent::kTooDeep;
      keys[static_cast<size_t>(depth)] = 0;
    } else if (c == ']' || c == '}') {
      if (--depth < 0) return Extent::kFits;  // no JSON; reading it stops here too
    } else if (c == ':') {
      key_comparisons_left -= ++keys[static_cast<size_t>(depth)];
      if (key_comparisons_left < 0) return Extent::kTooManyKeys;
    }
  }
  return Extent::kFits;
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  int64_t key_comparisons_left = kJsonKeyComparisonsMax;
  return parse_json(text, key_comparisons_left);
}

Result<Json> parse_json(std::string_view text, int64_t& key_comparisons_left) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return Error{Code::kInvalidArgument, "the request body is empty; JSON is expected", ""};
  // The library takes a zero byte for the end, and would not see what follows.
  if (const size_t zero = text.find('\0'); zero != std::string_view::npos)
    return Error{Code::kInvalidArgument,
                 "the request body is not valid JSON in UTF-8 (near byte " + std::to_string(zero + 1) + ")",
                 ""};
  const Extent found = extent(text, key_comparisons_left);
  if (found == Extent::kTooManyKeys)
    return Error{Code::kInvalidArgument, "the JSON's objects have too many keys", ""};
  if (found == Extent::kTooDeep)
    return Error{Code::kInvalidArgument,
                 "the JSON is nested deeper than " + std::to_string(kJsonDepthMax) + " levels", ""};
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& error) {
    return Error{Code::kInvalidArgument,
                 "the request body is not valid JSON in UTF-8 (near byte " + std::to_string(error.byte) + ")",
                 ""};
  } catch (const Json::exception&) {
    return Error{Code::kInvalidArgument, "the request body holds a number that is out of range", ""};
  }
}

std::string to_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace ondol::api
