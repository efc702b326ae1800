#include "core/scheduler/step_stats.h"

namespace ondol {

void LatencyHistogram::add(double seconds) {
  size_t bucket = 0;
  while (bucket < std::size(kLatencyBounds_s) && seconds > kLatencyBounds_s[bucket]) ++bucket;
  ++counts[bucket];
  sum_s += seconds;
}

}  // namespace ondol
