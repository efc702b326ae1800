#include "app/api/api_error.h"

namespace ondol::api {
namespace {

std::string type_of(int status) {
  if (status == 401) return "authentication_error";
  if (status == 403) return "permission_error";
  if (status == 503) return "service_unavailable_error";
  if (status >= 500) return "server_error";
  return "invalid_request_error";
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

ApiError of_status(int status, const std::string& message) {
  ApiError error;
  error.status = status;
  error.message = message;
  error.type = type_of(status);
  if (status == 503) error.retry_after_s = 1;
  return error;
}

ApiError invalid_request(std::string param, std::string message, std::string code) {
  ApiError error;
  error.message = std::move(message);
  error.param = std::move(param);
  error.code = std::move(code);
  return error;
}

ApiError to_api_error(const Error& error) {
  switch (error.code) {
    case Code::kInvalidArgument: return invalid_request(error.where, error.message, "invalid_value");
    case Code::kContextLength: return invalid_request(error.where, error.message, "context_length_exceeded");
    case Code::kUnsupported: return invalid_request(error.where, error.message, "unsupported_value");
    case Code::kNotFound: {
      ApiError out = of_status(404, error.message);
      out.code = "not_found";
      return out;
    }
    case Code::kResourceExhausted: {
      ApiError out = of_status(503, error.message);
      out.code = "server_busy";
      return out;
    }
    case Code::kUnavailable:
    case Code::kCancelled: {
      ApiError out = of_status(503, error.message.empty() ? "the server is stopping" : error.message);
      out.code = "unavailable";
      out.retry_after_s = 5;
      return out;
    }
    case Code::kDataLoss:
    case Code::kIo:
    case Code::kInternal: break;
  }
  ApiError out = of_status(500, "internal error; the server's log has more");
  out.code = "internal_error";
  out.hidden = error.text();
  return out;
}

ApiError model_not_found(const std::string& asked, const std::vector<std::string>& served) {
  std::string list;
  for (const std::string& id : served) list += (list.empty() ? "'" : ", '") + id + "'";
  ApiError error = of_status(
      404, (asked.empty() ? "the request names no model" : "the model '" + asked + "' is not served here") +
               std::string("; served: ") + (list.empty() ? "none" : list));
  error.param = "model";
  error.code = "model_not_found";
  return error;
}

Json error_json(const ApiError& error) {
  return {{"error",
           {{"message", error.message},
            {"type", error.type},
            {"param", text_or_null(error.param)},
            {"code", text_or_null(error.code)}}}};
}

HttpReply error_reply(const ApiError& error) {
  HttpReply reply;
  reply.status = error.status;
  reply.body = to_text(error_json(error));
  reply.facts = std::make_shared<RequestFacts>();
  reply.facts->error = error.code;
  reply.facts->hidden_error = error.hidden;
  if (error.retry_after_s > 0) reply.headers.emplace_back("Retry-After", std::to_string(error.retry_after_s));
  return reply;
}

}  // namespace ondol::api
