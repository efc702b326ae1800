// What the scheduler counts: plain values, copied out under its lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace ondol {

inline constexpr double kLatencyBounds_s[] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,  0.25,
                                              0.5,   1.0,    2.5,   5.0,  10.0,  30.0, 60.0, 120.0};
inline constexpr size_t kLatencyBuckets = std::size(kLatencyBounds_s) + 1;

// Counts per upper bound of kLatencyBounds_s, the last is +Inf; not cumulative.
struct LatencyHistogram {
  std::array<uint64_t, kLatencyBuckets> counts{};
  double sum_s = 0;
  void add(double seconds);
};

struct StepStats {
  uint64_t requests_total = 0, requests_failed_total = 0, requests_cancelled_total = 0,
           requests_rejected_total = 0;
  uint64_t finished_stop_total = 0, finished_length_total = 0;
  uint64_t prompt_tokens_total = 0, generated_tokens_total = 0, steps_total = 0, pauses_total = 0;
  double prefill_seconds_total = 0, decode_seconds_total = 0;
  int64_t running = 0, waiting = 0;
  LatencyHistogram ttft, itl, e2e, queue;
};

}  // namespace ondol
