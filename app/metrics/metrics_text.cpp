#include "app/metrics/metrics_text.h"

#include <charconv>
#include <cmath>

namespace ondol::metrics {

std::string escape_label(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '"')
      out += "\\\"";
    else if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

std::string number_text(double value) {
  if (!std::isfinite(value)) value = 0;
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end);
}

void MetricsText::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  text_ += "# HELP " + name_ + " ";
  for (const char c : help) {
    if (c == '\\')
      text_ += "\\\\";
    else if (c == '\n')
      text_ += "\\n";
    else
      text_ += c;
  }
  text_ += "\n# TYPE " + name_ + " ";
  text_ += type;
  text_ += '\n';
}

void MetricsText::line(std::string_view suffix, const Labels& labels, double value) {
  text_ += name_;
  text_ += suffix;
  if (!labels.empty()) {
    char before = '{';
    for (const auto& [name, label] : labels) {
      text_ += before;
      text_ += name;
      text_ += "=\"" + escape_label(label) + "\"";
      before = ',';
    }
    text_ += '}';
  }
  text_ += ' ' + number_text(value) + '\n';
}

void MetricsText::sample(const Labels& labels, double value) { line("", labels, value); }

void MetricsText::histogram(const Labels& labels, std::span<const double> bounds,
                            std::span<const uint64_t> counts, double sum) {
  uint64_t total = 0;
  Labels with_bound = labels;
  with_bound.emplace_back("le", "");
  for (size_t i = 0; i <= bounds.size(); ++i) {
    if (i < counts.size()) total += counts[i];
    with_bound.back().second = i < bounds.size() ? number_text(bounds[i]) : "+Inf";
    line("_bucket", with_bound, static_cast<double>(total));
  }
  line("_sum", labels, sum);
  line("_count", labels, static_cast<double>(total));
}

}  // namespace ondol::metrics
