#include "app/metrics/http_counters.h"

#include <algorithm>
#include <iterator>

namespace ondol::metrics {
namespace {
constexpr double kBounds_s[] = {0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 60, 300};
}

void HttpCounters::count(std::string_view route, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++answers_[{std::string(route), status}];
  duration_counts_.resize(std::size(kBounds_s) + 1);
  const auto bound = std::lower_bound(std::begin(kBounds_s), std::end(kBounds_s), seconds);
  ++duration_counts_[static_cast<size_t>(bound - std::begin(kBounds_s))];
  duration_sum_s_ += seconds;
}

void HttpCounters::write(MetricsText& out) const {
  const std::lock_guard lock(mutex_);
  out.family("ondol_http_requests_total", "counter",
             "HTTP requests by route and status; 499: the client left.");
  for (const auto& [key, value] : answers_)
    out.sample({{"route", key.first}, {"status", std::to_string(key.second)}}, static_cast<double>(value));
  out.family("ondol_http_request_duration_seconds", "histogram",
             "From the request's head to the answer's end.");
  out.histogram({}, kBounds_s, duration_counts_, duration_sum_s_);
}

}  // namespace ondol::metrics
