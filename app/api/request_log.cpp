#include "app/api/request_log.h"

namespace ondol::api {
namespace {

constexpr size_t kMethodBytesMax = 20;

void add_facts(LogPairs& pairs, const RequestFacts& facts, int64_t begin_ns) {
  if (!facts.id.empty()) pairs.text("id", facts.id);
  if (!facts.model.empty()) pairs.text("model", facts.model);
  if (!facts.error.empty()) pairs.text("error", facts.error);
  if (!facts.hidden_error.empty()) pairs.text("detail", facts.hidden_error, kLogMessageBytesMax / 2);
  if (facts.finish_reason.empty()) return;
  pairs.text("stream", facts.stream ? "true" : "false")
      .number("prompt_tokens", facts.prompt_tokens)
      .number("cached_tokens", facts.cached_tokens)
      .number("completion_tokens", facts.completion_tokens)
      .text("finish_reason", facts.finish_reason)
      .tenths("queue_ms", facts.queue_ms);
  if (facts.first_token_ns > 0)
    pairs.tenths("ttft_ms", static_cast<double>(facts.first_token_ns - begin_ns) * 1e-6);
}

}  // namespace

LogLevel request_level(std::string_view route, const ServedRequest& request) {
  if (route.starts_with("/health") || route == "/metrics") return LogLevel::kDebug;
  const bool broken = request.facts && !request.facts->hidden_error.empty();
  return request.status >= 500 || broken ? LogLevel::kError : LogLevel::kInfo;
}

LogPairs request_pairs(std::string_view route, const ServedRequest& request) {
  LogPairs pairs;
  pairs.text("msg", "request");
  if (!request.method.empty()) pairs.text("method", request.method, kMethodBytesMax);
  pairs.text("route", route).number("status", request.status);
  if (request.facts) add_facts(pairs, *request.facts, request.begin_ns);
  pairs.tenths("duration_ms", request.seconds * 1e3).text("client", request.client);
  return pairs;
}

}  // namespace ondol::api
