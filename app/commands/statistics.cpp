#include "app/commands/statistics.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "core/model/tensors.h"

namespace ondol::commands {

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.front(), values.back()};
}

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

int64_t prompt_multiply_adds(const model::ModelSpec& spec) {
  int64_t total = 0;
  for (const model::TensorNeed& need : model::tensor_needs(spec)) {
    if (need.name == "output.weight") continue;
    if (need.role == model::TensorRole::kMatrix) total += need.shape[0] * need.shape[1];
    if (need.role == model::TensorRole::kExperts) total += need.shape[0] * need.shape[1] * spec.experts.used;
  }
  return total;
}

Result<std::vector<int32_t>> number_list(const std::string& text, int32_t least, int32_t most,
                                         const std::string& name) {
  const Error wrong{Code::kInvalidArgument,
                    "\"" + text + "\": numbers from " + std::to_string(least) + " to " +
                        std::to_string(most) + " are wanted, with commas between",
                    name};
  std::vector<int32_t> numbers;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data();; ++at) {
    int32_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < least || number > most) return wrong;
    numbers.push_back(number);
    if (next == end) return numbers;
    if (*next != ',') return wrong;
    at = next;
  }
}

std::string bytes_text(int64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  size_t unit = 0;
  while (amount >= 1024 && unit + 1 < std::size(kUnits)) {
    amount /= 1024;
    ++unit;
  }
  char text[48];
  std::snprintf(text, sizeof text,
                unit == 0     ? "%.0f %s"
                : amount < 10 ? "%.2f %s"
                              : "%.1f %s",
                amount, kUnits[unit]);
  return text;
}

}  // namespace ondol::commands
