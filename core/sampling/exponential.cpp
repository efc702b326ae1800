#include "core/sampling/exponential.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace ondol {

double exp_nonpositive(double x) {
  if (!(x > -708.0)) return std::isnan(x) ? x : 0.0;
  // x = k ln2 + r, |r| <= ln2/2, with ln2 split so that k * kLn2High is exact; then the Taylor series.
  constexpr double kInverseLn2 = 1.4426950408889634, kLn2High = 0x1.62e42feep-1,
                   kLn2Low = 0x1.a39ef35793c76p-33;
  const double scaled = x * kInverseLn2;
  const int64_t k = static_cast<int64_t>(scaled - 0.5);
  const double r = (x - static_cast<double>(k) * kLn2High) - static_cast<double>(k) * kLn2Low;
  double sum = 1.0;
  for (int term = 14; term >= 1; --term) sum = 1.0 + sum * (r / term);
  return sum * std::bit_cast<double>(static_cast<uint64_t>(k + 1023) << 52);
}

}  // namespace ondol
