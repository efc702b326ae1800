// Runs a parsed request on an engine and turns its events into an answer, streamed or whole. Notices within
// kClientPollMs that the client left, and cancels. Runs on the request's worker thread.
#pragma once

#include "app/api/completion_request.h"
#include "app/api/completion_response.h"
#include "app/api/http_types.h"
#include "core/engine/engine.h"

namespace ondol::api {

inline constexpr int64_t kClientPollMs = 50;
inline constexpr int kStatusClientLeft = 499;

// `client` must outlive the reply's stream; `facts` are whole when that has ended. All errors that can be
// known before the first token are statuses.
HttpReply run_completion(Engine& engine, CompletionRequest request, ResponseFrame frame, const Client& client,
                         int64_t ping_interval_ms, std::shared_ptr<RequestFacts> facts);

}  // namespace ondol::api
