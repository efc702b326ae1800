#include "core/engine/request_sink.h"

#include <utility>

namespace ondol {

RequestSink::RequestSink(const Request& request, const Tokenizer& tokenizer,
                         const std::optional<chat::ReasoningSplitter>& splitter, int64_t prompt_tokens)
    : tokenizer_(tokenizer),
      ignore_eos_(request.ignore_eos),
      logprobs_(request.sampling.logprobs),
      events_(request.n) {
  for (int32_t choice = 0; choice < request.n; ++choice)
    choices_.push_back({TextAssembler(tokenizer, request.stop), splitter});
  usage_.prompt_tokens = prompt_tokens;
  events_.set_usage(usage_);
}

TokenLogprob RequestSink::named(const Pick& pick) const {
  TokenLogprob out{pick.id, tokenizer_.piece(pick.id, true), pick.logprob, {}};
  for (const auto& [id, logprob] : pick.top) out.top.push_back({id, tokenizer_.piece(id, true), logprob});
  return out;
}

// The token that ends an answer is not part of it: it is not counted and has no log-probability entry.
Verdict RequestSink::on_token(int32_t choice, const Pick& pick) {
  if (!ignore_eos_ && tokenizer_.is_end_of_generation(pick.id)) return Verdict::kStop;
  Choice& state = choices_[static_cast<size_t>(choice)];
  TokenLogprob logprob;
  if (logprobs_) logprob = named(pick);
  emit(choice, state.assembler.push(pick.id, logprobs_ ? &logprob : nullptr));
  return state.assembler.stopped() ? Verdict::kStop : Verdict::kContinue;
}

void RequestSink::emit(int32_t choice, AssembledText&& assembled) {
  if (assembled.empty()) return;
  auto& splitter = choices_[static_cast<size_t>(choice)].splitter;
  auto piece = splitter ? splitter->push(assembled.text) : chat::SplitText{{}, std::move(assembled.text)};
  usage_.completion_tokens += static_cast<int64_t>(assembled.ids.size());
  if (!piece.reasoning.empty() && piece.content.empty())
    usage_.reasoning_tokens += static_cast<int64_t>(assembled.ids.size());
  events_.set_usage(usage_);
  StreamEvent event;
  event.choice = choice;
  event.text = std::move(piece.content);
  event.reasoning = std::move(piece.reasoning);
  event.ids = std::move(assembled.ids);
  event.logprobs = std::move(assembled.logprobs);
  events_.push(std::move(event));
}

void RequestSink::on_finish(int32_t choice, FinishCause cause, const Error& error) {
  Choice& state = choices_[static_cast<size_t>(choice)];
  emit(choice, state.assembler.finish());
  auto rest = state.splitter ? state.splitter->finish() : chat::SplitText{};
  StreamEvent event;
  event.choice = choice;
  event.text = std::move(rest.content);
  event.reasoning = std::move(rest.reasoning);
  switch (cause) {
    case FinishCause::kStopped: event.finish = FinishReason::kStop; break;
    case FinishCause::kLength:
      event.finish = state.assembler.stopped() ? FinishReason::kStop : FinishReason::kLength;
      break;
    case FinishCause::kCancelled: event.finish = FinishReason::kCancelled; break;
    case FinishCause::kError: event.finish = FinishReason::kError; break;
  }
  event.error = error;
  events_.push(std::move(event));
}

void RequestSink::on_times(double queue_ms, double prefill_ms, double decode_ms) {
  usage_.queue_ms = queue_ms;
  usage_.prefill_ms = prefill_ms;
  usage_.decode_ms = decode_ms;
  events_.set_usage(usage_);
}

}  // namespace ondol
