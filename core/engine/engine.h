// The one public door of core: submit(Request) -> TokenStream. One Engine is one loaded model.
// Requests and events are plain values. Any thread may call any method of Engine; a TokenStream belongs
// to one consumer thread (cancel() may come from any).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/chat/message.h"
#include "core/runner/runner.h"
#include "core/sampling/sampling_options.h"
#include "core/scheduler/step_stats.h"

namespace ondol {

// What a Request may ask for; more is kInvalidArgument.
inline constexpr int32_t kChoicesMax = 16;
inline constexpr size_t kStopsMax = 16;
inline constexpr size_t kStopBytesMax = 1024;

struct ChatPrompt {
  std::vector<chat::Message> messages;
  std::string tools_json;            // empty: none
  std::string template_kwargs_json;  // empty: none
  bool add_generation_prompt = true;
};
struct TextPrompt {
  std::string text;
  bool parse_special = true;
};
struct TokenPrompt {
  std::vector<TokenId> ids;
};

struct Request {
  std::string id;      // "chatcmpl-…", for logs
  std::string tenant;  // opaque; cache sharing stays within one
  std::variant<ChatPrompt, TextPrompt, TokenPrompt> prompt;
  SamplingOptions sampling;
  std::optional<int64_t> max_tokens;  // absent: up to the context's end
  int32_t n = 1;                      // choices: 1…kChoicesMax
  std::vector<std::string> stop;      // at most kStopsMax, each 1…kStopBytesMax bytes
  bool ignore_eos = false;
  bool echo = false;  // completions: the prompt's text comes first
};

struct TopLogprob {
  TokenId id;
  std::string bytes;
  float logprob;
};
struct TokenLogprob {
  TokenId id;
  std::string bytes;
  float logprob;
  std::vector<TopLogprob> top;
};

enum class FinishReason : uint8_t { kNone, kStop, kLength, kCancelled, kError };

// What one choice produced since the last event. `text` is whole, valid UTF-8 and safe to show: nothing in
// it can become part of a stop string. `reasoning` is the part that the model thought aloud.
struct StreamEvent {
  int32_t choice = 0;
  std::string text;
  std::string reasoning;
  std::vector<TokenId> ids;                   // tokens that this event accounts for
  std::vector<TokenLogprob> logprobs;         // one per id when asked for; cut with the text
  FinishReason finish = FinishReason::kNone;  // set on a choice's last event
  Error error;                                // when finish is kError
};

struct Usage {
  int64_t prompt_tokens = 0;
  int64_t cached_tokens = 0;
  int64_t completion_tokens = 0;  // over all choices
  int64_t reasoning_tokens = 0;
  double queue_ms = 0, prefill_ms = 0, decode_ms = 0;
};

class TokenStream {
 public:
  virtual ~TokenStream() = default;  // cancels what still runs
  // The next event; blocks up to timeout_ms. nullopt: nothing yet. After every choice finished: done().
  virtual std::optional<StreamEvent> next(int64_t timeout_ms) = 0;
  virtual bool done() const = 0;
  virtual void cancel() = 0;
  virtual Usage usage() const = 0;  // final once done()
};

enum class EngineState : uint8_t { kLoading, kReady, kFailed, kStopping };

struct EngineInfo {
  std::string id;  // the model's name in the API
  std::string path;
  EngineState state = EngineState::kLoading;
  std::string failure;                 // when kFailed
  double load_progress = 0;            // 0…1
  RunnerInfo runner;                   // valid when kReady
  int64_t created_unix_s = 0;          // file time
  std::string chat_template_origin;    // "file", a default's name, or "none: reason"
  std::vector<std::string> fallbacks;  // what was asked for and could not be had
};

// Counters since start and gauges of now (core/scheduler/step_stats.h); all finite.
struct EngineStats : StepStats {
  uint64_t cached_tokens_total = 0;
  int64_t pages_used = 0, pages_total = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  // Renders, tokenizes, checks and queues. Errors are final and come before any event:
  // kInvalidArgument (where = field), kContextLength (message has both numbers),
  // kResourceExhausted (queue full), kUnavailable (loading, stopping, failed).
  virtual Result<std::unique_ptr<TokenStream>> submit(Request request) = 0;
  // add_special: with the BOS that a completion's prompt would get.
  virtual Result<std::vector<TokenId>> tokenize(const std::string& text, bool add_special,
                                                bool parse_special) const = 0;
  virtual Result<std::string> detokenize(const std::vector<TokenId>& ids) const = 0;
  virtual Result<std::string> token_bytes(TokenId id) const = 0;
  // Renders a chat without running it (tests, `apply-template`).
  virtual Result<std::string> render(const ChatPrompt& prompt) const = 0;
  virtual EngineInfo info() const = 0;
  virtual EngineStats stats() const = 0;
  // No new requests; running ones end within grace_ms or are cancelled. Idempotent.
  virtual void stop(int64_t grace_ms) = 0;
};

struct EngineOptions {
  std::string model_path;
  std::string id;                // empty: the file's name without .gguf
  std::string isa = "auto";      // kernel table
  std::string kv_type = "auto";  // f16, or f32 for float tables
  int32_t context = 0;           // 0: the trained length, less if memory is short (reported as a fallback)
  int32_t threads = 0;           // 0: what this process may use
  int64_t kv_bytes_max = 0;      // 0: a share of free memory
  int32_t prefill_chunk = 512;   // tokens of prompt in one step
  int32_t sequences_max = 64;    // running at once
  int32_t queue_max = 256;       // waiting at most
};

// Starts loading on a thread of its own and returns at once; info().state tells. The file's existence and
// header are checked before it returns.
Result<std::unique_ptr<Engine>> open_engine(const EngineOptions& options);

}  // namespace ondol
