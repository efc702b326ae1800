// How often each route was answered with which status, and how long it took. Routes are a fixed set of names,
// so labels stay few. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "app/metrics/metrics_text.h"

namespace ondol::metrics {

class HttpCounters {
 public:
  void count(std::string_view route, int status, double seconds);
  void write(MetricsText& out) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, uint64_t> answers_;
  std::vector<uint64_t> duration_counts_;
  double duration_sum_s_ = 0;
};

}  // namespace ondol::metrics
