#include <doctest/doctest.h>

#include <limits>

#include "app/metrics/http_counters.h"
#include "app/metrics/metrics_text.h"
#include "app/metrics/process_metrics.h"

namespace ondol::metrics {

TEST_CASE("metrics: labels are escaped, Korean stays as it is") {
  MetricsText out;
  out.family("a_total", "counter", "Help \\ with\nline.");
  out.sample({{"model", "내 \"모델\"\\x\ny"}}, 3);
  CHECK(out.text() ==
        "# HELP a_total Help \\\\ with\\nline.\n# TYPE a_total counter\na_total{model=\"내 "
        "\\\"모델\\\"\\\\x\\ny\"} 3\n");
}

TEST_CASE("metrics: a number is never NaN or infinite") {
  CHECK(number_text(std::numeric_limits<double>::quiet_NaN()) == "0");
  CHECK(number_text(std::numeric_limits<double>::infinity()) == "0");
  CHECK(number_text(0.25) == "0.25");
  CHECK(number_text(123456789012.0) == "123456789012");
}

TEST_CASE("metrics: a histogram's buckets add up, and its count is the last of them") {
  MetricsText out;
  out.family("h", "histogram", "h");
  const double bounds[] = {0.1, 1};
  const uint64_t counts[] = {2, 0, 5};
  out.histogram({}, bounds, counts, 7.5);
  CHECK(
      out.text().find(
          "h_bucket{le=\"0.1\"} 2\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 7\nh_sum 7.5\nh_count 7\n") !=
      std::string::npos);
}

TEST_CASE("metrics: a histogram without counts is all zeros") {
  MetricsText out;
  out.family("h", "histogram", "h");
  const double bounds[] = {1};
  out.histogram({}, bounds, {}, 0);
  CHECK(out.text().find("h_bucket{le=\"+Inf\"} 0\nh_sum 0\nh_count 0\n") != std::string::npos);
}

TEST_CASE("http counters: answers are counted by route and status") {
  HttpCounters counters;
  counters.count("/v1/models", 200, 0.001);
  counters.count("/v1/models", 200, 400);
  counters.count("other", 404, 0);
  MetricsText out;
  counters.write(out);
  CHECK(out.text().find("ondol_http_requests_total{route=\"/v1/models\",status=\"200\"} 2\n") !=
        std::string::npos);
  CHECK(out.text().find("ondol_http_requests_total{route=\"other\",status=\"404\"} 1\n") !=
        std::string::npos);
  CHECK(out.text().find("_bucket{le=\"+Inf\"} 3\n") != std::string::npos);
}

TEST_CASE("process metrics: memory and descriptors are positive") {
  MetricsText out;
  write_process_metrics(out, 1, 2.5);
  CHECK(resident_bytes() > 0);
  CHECK(out.text().find("ondol_uptime_seconds 2.5\n") != std::string::npos);
  CHECK(out.text().find("nan") == std::string::npos);
}

}  // namespace ondol::metrics
