// What stands between the scheduler and one request's TokenStream: tokens become safe text, reasoning is
// split off, stops end choices, events and usage go into the queue. Called on the scheduler's thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/chat/reasoning_splitter.h"
#include "core/engine/event_queue.h"
#include "core/engine/text_assembler.h"
#include "core/scheduler/scheduler.h"

namespace ondol {

class RequestSink : public TokenSink {
 public:
  // `tokenizer` outlives the scheduler that calls this sink. `splitter` is copied for each choice; without
  // one all text is content.
  RequestSink(const Request& request, const Tokenizer& tokenizer,
              const std::optional<chat::ReasoningSplitter>& splitter, int64_t prompt_tokens);

  Verdict on_token(int32_t choice, const Pick& pick) override;
  void on_finish(int32_t choice, FinishCause cause, const Error& error) override;
  void on_times(double queue_ms, double prefill_ms, double decode_ms) override;

  EventQueue& events() { return events_; }

 private:
  struct Choice {
    TextAssembler assembler;
    std::optional<chat::ReasoningSplitter> splitter;
  };
  TokenLogprob named(const Pick& pick) const;
  void emit(int32_t choice, AssembledText&& assembled);

  const Tokenizer& tokenizer_;
  const bool ignore_eos_;
  const bool logprobs_;
  std::vector<Choice> choices_;
  Usage usage_;
  EventQueue events_;
};

}  // namespace ondol
