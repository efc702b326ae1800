#include "app/api/completion_run.h"

#include <algorithm>
#include <array>
#include <memory>

#include "app/api/api_error.h"
#include "core/base/clock.h"

namespace ondol::api {
namespace {

constexpr int64_t kManyPollMs = 5;  // with several prompts each stream is asked in turn

constexpr size_t kFinishReasons = 5;
constexpr std::pair<FinishReason, const char*> kReasonNames[] = {{FinishReason::kStop, "stop"},
                                                                 {FinishReason::kLength, "length"},
                                                                 {FinishReason::kCancelled, "cancelled"},
                                                                 {FinishReason::kError, "error"}};

// The error that an event tells of, if it tells of one. Our own failures keep their text for the log.
std::optional<ApiError> event_error(const StreamEvent& event) {
  if (event.finish == FinishReason::kCancelled)
    return to_api_error({Code::kUnavailable, "the server is stopping", ""});
  if (event.finish == FinishReason::kError) return to_api_error(event.error);
  return std::nullopt;
}

// The streams of one request's prompts as one; choices are numbered prompt after prompt.
class JoinedStreams {
 public:
  JoinedStreams(std::vector<std::unique_ptr<TokenStream>> streams, int32_t choices_each)
      : streams_(std::move(streams)), choices_each_(choices_each) {}

  size_t choices() const { return streams_.size() * static_cast<size_t>(choices_each_); }

  bool done() const {
    return std::all_of(streams_.begin(), streams_.end(), [](const auto& stream) { return stream->done(); });
  }

  std::optional<StreamEvent> next() {
    for (size_t i = 0; i < streams_.size(); ++i) {
      const size_t index = (first_ + i) % streams_.size();
      if (streams_[index]->done()) continue;
      auto event = streams_[index]->next(streams_.size() == 1 ? kClientPollMs : kManyPollMs);
      if (!event) continue;
      event->choice += static_cast<int32_t>(index) * choices_each_;
      first_ = index + 1;
      note(*event);
      return event;
    }
    return std::nullopt;
  }

  void cancel() {
    for (auto& stream : streams_) stream->cancel();
  }

  Usage usage() const {
    Usage sum;
    for (const auto& stream : streams_) {
      const Usage one = stream->usage();
      sum.prompt_tokens += one.prompt_tokens;
      sum.cached_tokens += one.cached_tokens;
      sum.completion_tokens += one.completion_tokens;
      sum.reasoning_tokens += one.reasoning_tokens;
      sum.queue_ms = std::max(sum.queue_ms, one.queue_ms);
    }
    return sum;
  }

  // For the request log: how it stands. What has not ended is cancelled.
  void tell(RequestFacts& facts) const {
    const Usage sum = usage();
    facts.prompt_tokens = sum.prompt_tokens;
    facts.cached_tokens = sum.cached_tokens;
    facts.completion_tokens = sum.completion_tokens;
    facts.queue_ms = sum.queue_ms;
    facts.first_token_ns = first_token_ns_;
    facts.finish_reason.clear();
    const bool all_ended = finished_ == choices() || ended_by_[static_cast<size_t>(FinishReason::kError)];
    for (const auto& [reason, name] : kReasonNames) {
      const bool cut_off = reason == FinishReason::kCancelled && !all_ended;
      if (!ended_by_[static_cast<size_t>(reason)] && !cut_off) continue;
      facts.finish_reason += (facts.finish_reason.empty() ? "" : ",") + std::string(name);
    }
    if (!failure_) return;
    facts.error = failure_->code;
    facts.hidden_error = failure_->hidden;
  }

 private:
  void note(const StreamEvent& event) {
    if (first_token_ns_ == 0 && !event.ids.empty()) first_token_ns_ = system_clock().now_ns();
    if (event.finish == FinishReason::kNone) return;
    ++finished_;
    ended_by_[static_cast<size_t>(event.finish)] = true;
    if (!failure_) failure_ = event_error(event);
  }

  std::vector<std::unique_ptr<TokenStream>> streams_;
  const int32_t choices_each_;
  size_t first_ = 0;
  size_t finished_ = 0;
  int64_t first_token_ns_ = 0;
  std::array<bool, kFinishReasons> ended_by_{};
  std::optional<ApiError> failure_;
};

bool has_content(const StreamEvent& event) {
  return !event.text.empty() || !event.reasoning.empty() || !event.logprobs.empty();
}

HttpReply whole_answer(JoinedStreams& streams, const ResponseFrame& frame, const Client& client) {
  std::vector<ChoiceText> choices(streams.choices());
  while (!streams.done()) {
    if (client.gone()) {
      streams.cancel();
      return error_reply(of_status(kStatusClientLeft, "the client left"));
    }
    const auto event = streams.next();
    if (!event) continue;
    if (const auto error = event_error(*event)) {
      streams.cancel();
      return error_reply(*error);
    }
    ChoiceText& choice = choices[static_cast<size_t>(event->choice)];
    choice.text += event->text;
    choice.reasoning += event->reasoning;
    choice.logprobs.insert(choice.logprobs.end(), event->logprobs.begin(), event->logprobs.end());
    if (event->finish != FinishReason::kNone) choice.finish = event->finish;
  }
  HttpReply reply;
  reply.body = to_text(CompletionWriter(frame, choices.size()).whole(choices, streams.usage()));
  return reply;
}

// False: the client is lost. An error in the middle is one last event with an "error" object; no [DONE]
// follows it.
bool stream_answer(JoinedStreams& streams, const ResponseFrame& frame, const Client& client,
                   int64_t ping_interval_ms, EventSink& out) {
  CompletionWriter writer(frame, streams.choices());
  if (frame.chat) {
    std::string roles;
    for (size_t i = 0; i < streams.choices(); ++i) roles += sse(writer.role(static_cast<int32_t>(i)));
    if (!out.write(roles)) return streams.cancel(), false;
  }
  int64_t written_ns = system_clock().now_ns();
  while (!streams.done()) {
    if (client.gone()) return streams.cancel(), false;
    std::string text;
    const auto event = streams.next();
    if (event) {
      if (has_content(*event)) text += sse(writer.delta(*event));
      if (const auto error = event_error(*event)) {
        streams.cancel();
        return out.write(text + sse(error_json(*error)));
      }
      if (event->finish != FinishReason::kNone) text += sse(writer.finish(event->choice, event->finish));
    } else if (system_clock().now_ns() - written_ns > ping_interval_ms * 1'000'000) {
      text = ": ping\n\n";
    }
    if (text.empty()) continue;
    if (!out.write(text)) return streams.cancel(), false;
    written_ns = system_clock().now_ns();
  }
  std::string tail;
  if (frame.include_usage) tail += sse(writer.usage_chunk(streams.usage()));
  return out.write(tail + "data: [DONE]\n\n");
}

}  // namespace

HttpReply run_completion(Engine& engine, CompletionRequest request, ResponseFrame frame, const Client& client,
                         int64_t ping_interval_ms, std::shared_ptr<RequestFacts> facts) {
  facts->id = frame.id;
  facts->stream = request.stream;
  const int32_t choices_each = request.requests.front().n;
  std::vector<std::unique_ptr<TokenStream>> streams;
  for (size_t i = 0; i < request.requests.size(); ++i) {
    Request& one = request.requests[i];
    one.id = request.requests.size() == 1 ? frame.id : frame.id + "-" + std::to_string(i);
    auto stream = engine.submit(std::move(one));
    if (!stream) return error_reply(to_api_error(stream.error()));
    streams.push_back(std::move(*stream));
  }
  auto joined =
      std::make_shared<JoinedStreams>(std::move(streams), choices_each);  // shared: std::function copies
  joined->tell(*facts);
  HttpReply reply;
  if (!request.stream) {
    reply = whole_answer(*joined, frame, client);
    joined->tell(*facts);
    return reply;
  }
  reply.content_type = "text/event-stream; charset=utf-8";
  reply.headers = {{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}};
  reply.stream = [joined, frame = std::move(frame), &client, ping_interval_ms, facts](EventSink& out) {
    const bool kept = stream_answer(*joined, frame, client, ping_interval_ms, out);
    joined->tell(*facts);
    return kept;
  };
  return reply;
}

}  // namespace ondol::api
