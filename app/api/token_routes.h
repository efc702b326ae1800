// /tokenize and /detokenize in the shapes of llama-server ("content") and vLLM ("prompt"). Any thread.
#pragma once

#include "app/api/http_types.h"
#include "app/api/json_text.h"
#include "core/engine/engine.h"

namespace ondol::api {

HttpReply tokenize_reply(const Engine& engine, const Json& body);
HttpReply detokenize_reply(const Engine& engine, const Json& body);

}  // namespace ondol::api
