#include "app/api/completion_response.h"

#include <cmath>
#include <cstdio>

#include "core/tokenizer/tokenizer.h"

namespace ondol::api {
namespace {

constexpr float kLogprobMin = -9999.0f;  // JSON has no infinity; what OpenAI writes for "never"

Json finish_json(FinishReason reason) {
  if (reason == FinishReason::kStop) return "stop";
  if (reason == FinishReason::kLength) return "length";
  return nullptr;
}

Json logprob_json(float value) { return std::isfinite(value) ? std::max(value, kLogprobMin) : kLogprobMin; }

Json bytes_json(const std::string& bytes) {
  Json out = Json::array();
  for (const char c : bytes) out.push_back(static_cast<int>(static_cast<unsigned char>(c)));
  return out;
}

Json chat_token(const std::string& bytes, float logprob) {
  return {{"token", to_valid_utf8(bytes)}, {"logprob", logprob_json(logprob)}, {"bytes", bytes_json(bytes)}};
}

Json chat_logprobs(const std::vector<TokenLogprob>& tokens) {
  Json content = Json::array();
  for (const TokenLogprob& token : tokens) {
    Json entry = chat_token(token.bytes, token.logprob);
    Json top = Json::array();
    for (const TopLogprob& one : token.top) top.push_back(chat_token(one.bytes, one.logprob));
    entry["top_logprobs"] = std::move(top);
    content.push_back(std::move(entry));
  }
  return {{"content", std::move(content)}, {"refusal", nullptr}};
}

// The old format has no bytes: a token that is no whole text is written as OpenAI did, "bytes:\xed\x95".
std::string token_text(const std::string& bytes) {
  if (is_valid_utf8(bytes)) return bytes;
  std::string out = "bytes:";
  for (const char c : bytes) {
    char hex[8];
    std::snprintf(hex, sizeof(hex), "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += hex;
  }
  return out;
}

int64_t characters(const std::string& bytes) {
  int64_t count = 0;
  for (const char c : bytes) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

Json completion_logprobs(const std::vector<TokenLogprob>& tokens, int64_t& offset) {
  Json texts = Json::array(), logprobs = Json::array(), tops = Json::array(), offsets = Json::array();
  for (const TokenLogprob& token : tokens) {
    texts.push_back(token_text(token.bytes));
    logprobs.push_back(logprob_json(token.logprob));
    Json top = Json::object();
    for (const TopLogprob& one : token.top) top[token_text(one.bytes)] = logprob_json(one.logprob);
    tops.push_back(std::move(top));
    offsets.push_back(offset);
    offset += characters(token.bytes);
  }
  return {{"tokens", std::move(texts)},
          {"token_logprobs", std::move(logprobs)},
          {"top_logprobs", std::move(tops)},
          {"text_offset", std::move(offsets)}};
}

}  // namespace

Json usage_json(const Usage& usage) {
  return {{"prompt_tokens", usage.prompt_tokens},
          {"completion_tokens", usage.completion_tokens},
          {"total_tokens", usage.prompt_tokens + usage.completion_tokens},
          {"prompt_tokens_details", {{"cached_tokens", usage.cached_tokens}}},
          {"completion_tokens_details", {{"reasoning_tokens", usage.reasoning_tokens}}}};
}

std::string sse(const Json& json) { return "data: " + to_text(json) + "\n\n"; }

Json CompletionWriter::frame(const char* object) const {
  return {{"id", frame_.id},
          {"object", object},
          {"created", frame_.created_unix_s},
          {"model", frame_.model},
          {"system_fingerprint", frame_.fingerprint}};
}

Json CompletionWriter::whole(const std::vector<ChoiceText>& choices, const Usage& usage) const {
  Json list = Json::array();
  for (size_t i = 0; i < choices.size(); ++i) {
    const ChoiceText& choice = choices[i];
    Json out = {{"index", i}};
    if (frame_.chat) {
      Json message = {{"role", "assistant"}, {"content", choice.text}, {"refusal", nullptr}};
      if (!choice.reasoning.empty()) message["reasoning_content"] = choice.reasoning;
      out["message"] = std::move(message);
      out["logprobs"] = frame_.logprobs ? chat_logprobs(choice.logprobs) : Json(nullptr);
    } else {
      int64_t offset = 0;
      out["text"] = choice.text;
      out["logprobs"] = frame_.logprobs ? completion_logprobs(choice.logprobs, offset) : Json(nullptr);
    }
    out["finish_reason"] = finish_json(choice.finish);
    list.push_back(std::move(out));
  }
  Json out = frame(frame_.chat ? "chat.completion" : "text_completion");
  out["choices"] = std::move(list);
  out["usage"] = usage_json(usage);
  return out;
}

Json CompletionWriter::chunk(Json choices) const {
  Json out = frame(frame_.chat ? "chat.completion.chunk" : "text_completion");
  out["choices"] = std::move(choices);
  if (frame_.include_usage) out["usage"] = nullptr;
  return out;
}

Json CompletionWriter::chunk_choice(int32_t choice, Json delta, Json logprobs, Json finish) const {
  Json out = {{"index", choice}};
  if (frame_.chat)
    out["delta"] = std::move(delta);
  else
    out["text"] = std::move(delta);
  out["logprobs"] = std::move(logprobs);
  out["finish_reason"] = std::move(finish);
  return chunk(Json::array({std::move(out)}));
}

Json CompletionWriter::role(int32_t choice) const {
  return chunk_choice(choice, {{"role", "assistant"}, {"content", ""}, {"refusal", nullptr}}, nullptr,
                      nullptr);
}

Json CompletionWriter::delta(const StreamEvent& event) {
  Json logprobs = nullptr;
  if (!frame_.chat) {
    if (frame_.logprobs)
      logprobs = completion_logprobs(event.logprobs, offsets_[static_cast<size_t>(event.choice)]);
    return chunk_choice(event.choice, event.text, std::move(logprobs), nullptr);
  }
  if (frame_.logprobs) logprobs = chat_logprobs(event.logprobs);
  Json delta = Json::object();
  if (!event.reasoning.empty()) delta["reasoning_content"] = event.reasoning;
  if (!event.text.empty() || event.reasoning.empty()) delta["content"] = event.text;
  return chunk_choice(event.choice, std::move(delta), std::move(logprobs), nullptr);
}

Json CompletionWriter::finish(int32_t choice, FinishReason reason) const {
  return chunk_choice(choice, frame_.chat ? Json::object() : Json(""), nullptr, finish_json(reason));
}

Json CompletionWriter::usage_chunk(const Usage& usage) const {
  Json out = chunk(Json::array());
  out["usage"] = usage_json(usage);
  return out;
}

}  // namespace ondol::api
