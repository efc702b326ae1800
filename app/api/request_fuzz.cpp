// Request bodies and request heads: no input may crash, and what is accepted obeys the documented limits.
#include <cstdint>

#include "app/api/completion_request.h"
#include "app/api/request_head.h"
#include "core/base/check.h"

using namespace ondol;
using namespace ondol::api;

namespace {

void check_accepted(const CompletionRequest& request) {
  CHECK(!request.requests.empty() && request.requests.size() <= kPromptsMax);
  for (const Request& one : request.requests) {
    CHECK(one.n >= 1 && one.n <= kChoicesMax);
    CHECK(!one.max_tokens || *one.max_tokens >= 1);
    CHECK(one.stop.size() <= kStopsMax);
    CHECK(one.sampling.temperature >= 0 && one.sampling.temperature <= 2);
    CHECK(one.sampling.top_p > 0 && one.sampling.top_p <= 1);
    CHECK(one.sampling.top_k >= 0);
    CHECK(one.sampling.top_logprobs >= 0 && one.sampling.top_logprobs <= kTopLogprobsMax);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  const std::string_view text(reinterpret_cast<const char*>(data), bytes);
  const size_t head = head_bytes(text);
  if (head > 0) (void)parse_head(text.substr(0, head));
  const auto json = parse_json(text);
  if (!json) return 0;
  (void)to_text(*json);
  if (!model_field(*json)) return 0;
  for (const bool chat : {true, false}) {
    CompletionRequest request;
    const auto error = chat ? parse_chat(*json, 1, request) : parse_completion(*json, 1, request);
    if (error)
      (void)to_text(error_json(*error));
    else
      check_accepted(request);
  }
  return 0;
}
