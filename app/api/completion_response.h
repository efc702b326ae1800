// Answers in exactly OpenAI's shapes: whole ones and the chunks of a stream. Pure but for the running text
// offsets of streamed /v1/completions log-probabilities. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/api/json_text.h"
#include "core/engine/engine.h"

namespace ondol::api {

struct ResponseFrame {
  std::string id;  // "chatcmpl-…" or "cmpl-…"
  std::string model;
  std::string fingerprint;
  int64_t created_unix_s = 0;
  bool chat = true;
  bool logprobs = false;  // the request asked for them
  bool include_usage = false;
};

// All that one choice said.
struct ChoiceText {
  std::string text;
  std::string reasoning;
  std::vector<TokenLogprob> logprobs;
  FinishReason finish = FinishReason::kNone;
};

class CompletionWriter {
 public:
  CompletionWriter(ResponseFrame frame, size_t choices) : frame_(std::move(frame)), offsets_(choices, 0) {}

  Json whole(const std::vector<ChoiceText>& choices, const Usage& usage) const;

  // Chunks of a stream. Chat: role() opens each choice; delta() for text; finish() last of a choice.
  Json role(int32_t choice) const;
  Json delta(const StreamEvent& event);
  Json finish(int32_t choice, FinishReason reason) const;
  Json usage_chunk(const Usage& usage) const;

 private:
  Json chunk(Json choices) const;
  Json chunk_choice(int32_t choice, Json delta, Json logprobs, Json finish) const;
  Json frame(const char* object) const;

  const ResponseFrame frame_;
  std::vector<int64_t> offsets_;  // characters of each choice so far
};

Json usage_json(const Usage& usage);
// One server-sent event.
std::string sse(const Json& json);

}  // namespace ondol::api
