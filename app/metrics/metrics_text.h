// The Prometheus text format, version 0.0.4: families in the order they are begun, samples under them. Values
// that are not finite are written as 0, so that no scrape ever holds a NaN. One thread. Source:
// prometheus.io, "Exposition formats".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ondol::metrics {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

inline constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

class MetricsText {
 public:
  // `type`: "counter", "gauge", "histogram".
  void family(std::string_view name, std::string_view type, std::string_view help);
  // A sample of the family begun last.
  void sample(const Labels& labels, double value);
  // counts[i]: observations in (bounds[i-1], bounds[i]], the last one above all bounds. Missing counts are 0.
  void histogram(const Labels& labels, std::span<const double> bounds, std::span<const uint64_t> counts,
                 double sum);

  const std::string& text() const { return text_; }

 private:
  void line(std::string_view suffix, const Labels& labels, double value);
  std::string name_;
  std::string text_;
};

// A label's value with backslash, quote and line feed escaped.
std::string escape_label(std::string_view value);
// "0.25", "17", "1e+20"; never NaN or Inf.
std::string number_text(double value);

}  // namespace ondol::metrics
