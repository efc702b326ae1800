#include "app/commands/json_lines.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "app/commands/command_line.h"

namespace ondol::commands {
namespace {

using nlohmann::json;

Result<std::string> answer(const std::string& line, const LineHandler& handle) {
  if (line.size() > kLineBytesMax) {
    return Error{Code::kInvalidArgument,
                 "the line has " + std::to_string(line.size()) + " bytes, the most is " +
                     std::to_string(kLineBytesMax),
                 ""};
  }
  const json request = json::parse(line, nullptr, false);
  if (!request.is_object()) return Error{Code::kInvalidArgument, "the line is not a JSON object", ""};
  return handle(request);
}

}  // namespace

std::string error_line(const Error& error) {
  return json{{"error", error.text()}}.dump(-1, ' ', false, json::error_handler_t::replace);
}

int answer_json_lines(std::istream& in, const LineHandler& handle) {
  int code = kExitOk;
  std::string line;
  while (std::getline(in, line)) {
    Result<std::string> answered = answer(line, handle);
    if (!answered) code = kExitFailed;
    if (!print((answered ? *answered : error_line(answered.error())) + "\n")) return kExitFailed;
  }
  return code;
}

Result<std::vector<TokenId>> token_ids(const json& request, const char* key) {
  const auto found = request.find(key);
  if (found == request.end() || !found->is_array()) {
    return Error{Code::kInvalidArgument, "an array of token ids is wanted", key};
  }
  std::vector<TokenId> ids;
  ids.reserve(found->size());
  for (const json& id : *found) {
    if (!id.is_number_integer() || id < 0 || id > std::numeric_limits<TokenId>::max()) {
      return Error{Code::kInvalidArgument,
                   "not a token id: " + id.dump(-1, ' ', true, json::error_handler_t::replace), key};
    }
    ids.push_back(id.get<TokenId>());
  }
  return ids;
}

Result<int64_t> whole_number(const json& request, const char* key, int64_t least, int64_t most,
                             int64_t fallback) {
  const auto found = request.find(key);
  if (found == request.end()) return fallback;
  if (!found->is_number_integer() || *found < least || *found > most) {
    return Error{
        Code::kInvalidArgument,
        "a whole number from " + std::to_string(least) + " to " + std::to_string(most) + " is wanted", key};
  }
  return found->get<int64_t>();
}

}  // namespace ondol::commands
