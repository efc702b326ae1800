// The JSON of /v1/chat/completions and /v1/completions as typed requests; JSON ends here. Everything that can
// be checked without a model is checked, so that a bad request has the same answer streamed or not. Pure
// functions. Fields and ranges: app/api/API.md; the limits of n, stop and top_logprobs are core's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/api/api_error.h"
#include "app/api/json_text.h"
#include "core/engine/engine.h"

namespace ondol::api {

inline constexpr size_t kPromptsMax = 16;  // of one /v1/completions request
inline constexpr size_t kMessagesMax = 4096;
inline constexpr size_t kLogitBiasMax = 4096;
inline constexpr int64_t kCompletionTokensDefault = 16;  // /v1/completions, as OpenAI's

struct CompletionRequest {
  std::vector<Request> requests;  // one per prompt; a chat has one
  bool chat = true;
  bool stream = false;
  bool include_usage = false;
};

// The `model` field alone, first: an unknown model goes before every other fault. Absent, null and "" give
// "".
Result<std::string> model_field(const Json& body);

// Null: `out` is filled. `random_seed` is used when the request gives none.
std::optional<ApiError> parse_chat(const Json& body, uint64_t random_seed, CompletionRequest& out);
std::optional<ApiError> parse_completion(const Json& body, uint64_t random_seed, CompletionRequest& out);

// An array of token ids.
std::optional<std::vector<TokenId>> token_ids(const Json& array);

}  // namespace ondol::api
