// The channel from the scheduler's thread to the one reader of a TokenStream. Events that were not read yet
// are merged per choice, so a slow reader costs one event per choice and the answer's own bytes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "core/engine/engine.h"

namespace ondol {

class EventQueue {
 public:
  explicit EventQueue(int32_t choices) : unfinished_(choices) {}

  void push(StreamEvent event);
  // Any thread but for one reader at a time.
  std::optional<StreamEvent> pop(int64_t timeout_ms);
  // Every choice's last event was popped.
  bool drained() const;
  void set_usage(const Usage& usage);
  Usage usage() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<StreamEvent> events_;
  int32_t unfinished_;
  Usage usage_;
};

}  // namespace ondol
