// Errors as OpenAI's clients read them: an HTTP status and {"error":{"message","type","param","code"}}.
#pragma once

#include <string>
#include <vector>

#include "app/api/http_types.h"
#include "app/api/json_text.h"
#include "core/base/result.h"

namespace ondol::api {

struct ApiError {
  int status = 400;
  std::string message;
  std::string type = "invalid_request_error";
  std::string param;  // empty: null
  std::string code;   // empty: null
  int retry_after_s = 0;
  std::string hidden;  // an internal error's own words, for the log alone
};

ApiError invalid_request(std::string param, std::string message, std::string code = "");
// From the engine's words; an internal error's text is not shown.
ApiError to_api_error(const Error& error);
ApiError model_not_found(const std::string& asked, const std::vector<std::string>& served);
// For a status alone.
ApiError of_status(int status, const std::string& message);

Json error_json(const ApiError& error);
HttpReply error_reply(const ApiError& error);

}  // namespace ondol::api
