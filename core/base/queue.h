// A bounded queue between threads. Any number of threads may push and pop.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/check.h"

namespace ondol {

enum class PushOutcome : uint8_t { kPushed, kFull, kClosed };

template <class T>
class BoundedQueue {
 public:
  // `items_max` is the owner's named limit; at least 1.
  explicit BoundedQueue(size_t items_max) : items_max_(items_max) { ONDOL_CHECK(items_max >= 1); }

  // Moves `item` in, or leaves it as it was when there is no room or the queue is closed. Never waits.
  [[nodiscard]] PushOutcome try_push(T&& item) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return PushOutcome::kClosed;
      if (items_.size() >= items_max_) return PushOutcome::kFull;
      items_.push_back(std::move(item));
    }
    item_added_.notify_one();
    return PushOutcome::kPushed;
  }

  // As try_push(), but waits up to `timeout_ms` for room.
  [[nodiscard]] PushOutcome push(T&& item, int64_t timeout_ms) {
    {
      std::unique_lock lock(mutex_);
      const bool ready = item_taken_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                                              [&] { return closed_ || items_.size() < items_max_; });
      if (closed_) return PushOutcome::kClosed;
      if (!ready) return PushOutcome::kFull;
      items_.push_back(std::move(item));
    }
    item_added_.notify_one();
    return PushOutcome::kPushed;
  }

  // The oldest item; nothing after `timeout_ms` without one, or at once when closed and drained.
  std::optional<T> pop(int64_t timeout_ms) {
    std::unique_lock lock(mutex_);
    item_added_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                         [&] { return closed_ || !items_.empty(); });
    return take(lock);
  }

  // The oldest item, if there is one now.
  std::optional<T> try_pop() {
    std::unique_lock lock(mutex_);
    return take(lock);
  }

  // No more pushes; what is inside can still be popped. Wakes everyone who waits.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    item_added_.notify_all();
    item_taken_.notify_all();
  }

  bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }
  size_t count() const {
    const std::lock_guard lock(mutex_);
    return items_.size();
  }
  size_t items_max() const { return items_max_; }

 private:
  std::optional<T> take(std::unique_lock<std::mutex>& lock) {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    lock.unlock();
    item_taken_.notify_one();
    return item;
  }

  const size_t items_max_;
  mutable std::mutex mutex_;
  std::condition_variable item_added_;
  std::condition_variable item_taken_;
  std::deque<T> items_;
  bool closed_ = false;
};

}  // namespace ondol
