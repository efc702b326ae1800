// A test double of Engine: answers with scripted events, delays and failures. Tests only. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/engine/engine.h"

namespace ondol::api {

struct FakeScript {
  std::vector<StreamEvent> events;  // of one choice; every choice gets them
  int64_t delay_ms = 0;             // before each event
  int64_t first_delay_ms = 0;       // more before the first one: a long prefill
  int64_t repeat = 1;               // the events but the last, this many times
};

inline StreamEvent text_event(std::string text, FinishReason finish = FinishReason::kNone) {
  StreamEvent event;
  event.text = std::move(text);
  event.ids = {1};
  event.finish = finish;
  return event;
}

class FakeEngine final : public Engine {
 public:
  FakeScript script{{text_event("안녕"), text_event(" 😀"), text_event("", FinishReason::kStop)}};
  std::optional<Error> submit_error;
  EngineState state = EngineState::kReady;
  std::atomic<int> active{0};
  std::atomic<int> cancelled{0};
  std::atomic<int> stops{0};

  Request last() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }

  Result<std::unique_ptr<TokenStream>> submit(Request request) override {
    if (submit_error) return *submit_error;
    const std::lock_guard lock(mutex_);
    last_ = request;
    return std::unique_ptr<TokenStream>(new Stream(*this, request.n, request.max_tokens.value_or(1 << 30)));
  }
  Result<std::vector<TokenId>> tokenize(const std::string& text, bool add_special, bool) const override {
    std::vector<TokenId> ids;
    if (add_special) ids.push_back(0);
    for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
    return ids;
  }
  Result<std::string> detokenize(const std::vector<TokenId>& ids) const override {
    std::string out;
    for (const TokenId id : ids) {
      if (id > 255)
        return Error{Code::kInvalidArgument, "no token has the id " + std::to_string(id), "tokens"};
      out += static_cast<char>(id);
    }
    return out;
  }
  Result<std::string> token_bytes(TokenId id) const override { return std::string(1, static_cast<char>(id)); }
  Result<std::string> render(const ChatPrompt&) const override { return std::string(); }
  EngineInfo info() const override {
    EngineInfo info;
    info.id = "fake";
    info.state = state;
    if (state == EngineState::kFailed) info.failure = "a damaged file";
    info.runner.context = 512;
    info.runner.architecture = "llama";
    info.runner.kv_type = "f16";
    return info;
  }
  EngineStats stats() const override {
    EngineStats stats;
    stats.running = active;
    return stats;
  }
  void stop(int64_t) override { ++stops; }

 private:
  class Stream final : public TokenStream {
   public:
    Stream(FakeEngine& engine, int32_t choices, int64_t max_tokens)
        : engine_(engine), script_(engine.script), choices_(choices), max_tokens_(max_tokens) {
      ++engine_.active;
    }
    ~Stream() override {
      if (!done_) cancel();
    }
    std::optional<StreamEvent> next(int64_t timeout_ms) override {
      if (wait_ms_ < 0) wait_ms_ = script_.delay_ms + (sent_ == 0 ? script_.first_delay_ms : 0);
      if (wait_ms_ > 0) {
        const int64_t step = std::min(wait_ms_, timeout_ms);
        std::this_thread::sleep_for(std::chrono::milliseconds(step));
        wait_ms_ -= step;
        if (wait_ms_ > 0 || step == timeout_ms) return std::nullopt;
      }
      wait_ms_ = -1;
      const int64_t body = static_cast<int64_t>(script_.events.size()) - 1;
      const int64_t total = body * script_.repeat + 1;
      StreamEvent event = sent_ + 1 >= total
                              ? script_.events.back()
                              : script_.events[static_cast<size_t>(sent_ % std::max<int64_t>(1, body))];
      ++sent_;
      ++tokens_;
      if (tokens_ >= max_tokens_ && event.finish == FinishReason::kNone) event.finish = FinishReason::kLength;
      event.choice = choice_;
      if (event.finish != FinishReason::kNone) {
        sent_ = 0;
        used_ += tokens_;
        tokens_ = 0;
        if (++choice_ == choices_) finish();
      }
      return event;
    }
    bool done() const override { return done_; }
    void cancel() override {
      if (done_) return;
      ++engine_.cancelled;
      finish();
    }
    Usage usage() const override { return {7, 3, used_, 0, 0, 0, 0}; }

   private:
    void finish() {
      done_ = true;
      --engine_.active;
    }
    FakeEngine& engine_;
    const FakeScript script_;
    const int32_t choices_;
    const int64_t max_tokens_;
    int64_t wait_ms_ = -1, sent_ = 0, tokens_ = 0, used_ = 0;
    int32_t choice_ = 0;
    std::atomic<bool> done_{false};
  };

  mutable std::mutex mutex_;
  Request last_;
};

}  // namespace ondol::api
