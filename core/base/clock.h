// Monotonic time, behind a seam for tests. Wall-clock time is used for display only.
#pragma once

#include <atomic>
#include <cstdint>

namespace ondol {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t now_ns() const = 0;  // monotonic; any thread
  virtual int64_t unix_s() const = 0;  // wall clock, for `created` fields and `strftime_now`
};

Clock& system_clock();

// A clock that stands still until it is told to move. Any thread.
class ManualClock : public Clock {
 public:
  int64_t now_ns() const override { return now_ns_.load(); }
  int64_t unix_s() const override { return unix_s_.load(); }
  void advance_ns(int64_t delta_ns) { now_ns_ += delta_ns; }
  void set_unix_s(int64_t seconds) { unix_s_ = seconds; }

 private:
  std::atomic<int64_t> now_ns_{0};
  std::atomic<int64_t> unix_s_{0};
};

}  // namespace ondol
