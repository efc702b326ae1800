#include "app/api/json_text.h"

namespace ondol::api {
namespace {

// The deepest nesting of brackets outside strings; stops at the limit.
bool too_deep(std::string_view text) {
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
      if (++depth > kJsonDepthMax) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return Error{Code::kInvalidArgument, "the request body is empty; JSON is expected", ""};
  if (too_deep(text))
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
