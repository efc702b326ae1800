#include "core/engine/event_queue.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace ondol {
namespace {

void merge(StreamEvent& into, StreamEvent&& event) {
  into.text += event.text;
  into.reasoning += event.reasoning;
  into.ids.insert(into.ids.end(), event.ids.begin(), event.ids.end());
  std::move(event.logprobs.begin(), event.logprobs.end(), std::back_inserter(into.logprobs));
  into.finish = event.finish;
  into.error = std::move(event.error);
}

}  // namespace

void EventQueue::push(StreamEvent event) {
  std::lock_guard lock(mutex_);
  const auto waiting = std::find_if(events_.rbegin(), events_.rend(),
                                    [&](const StreamEvent& other) { return other.choice == event.choice; });
  // Within an event reasoning comes before text: one that holds text takes no more reasoning.
  if (waiting != events_.rend() && (waiting->text.empty() || event.reasoning.empty()))
    return merge(*waiting, std::move(event));
  events_.push_back(std::move(event));
  wake_.notify_one();
}

std::optional<StreamEvent> EventQueue::pop(int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  if (!wake_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] { return !events_.empty(); }))
    return std::nullopt;
  StreamEvent event = std::move(events_.front());
  events_.pop_front();
  if (event.finish != FinishReason::kNone) --unfinished_;
  return event;
}

bool EventQueue::drained() const {
  std::lock_guard lock(mutex_);
  return unfinished_ == 0 && events_.empty();
}

void EventQueue::set_usage(const Usage& usage) {
  std::lock_guard lock(mutex_);
  usage_ = usage;
}

Usage EventQueue::usage() const {
  std::lock_guard lock(mutex_);
  return usage_;
}

}  // namespace ondol
