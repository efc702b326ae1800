#include "core/model/elementary.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace ondol::model {

TEST_CASE("elementary: sine and cosine agree with the C library over a long context's angles") {
  std::mt19937_64 random(1);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const double scale = i % 3 == 0 ? 1.0 : i % 3 == 1 ? 1000.0 : 1048576.0;
    const double x = std::uniform_real_distribution<double>(0, scale)(random);
    const SineCosine got = sine_cosine(x);
    worst = std::max({worst, std::fabs(got.sine - std::sin(x)), std::fabs(got.cosine - std::cos(x))});
  }
  CHECK(worst < 4e-16);
  CHECK(sine_cosine(0).sine == 0);
  CHECK(sine_cosine(0).cosine == 1);
}

TEST_CASE("elementary: exp, log and power agree with the C library") {
  std::mt19937_64 random(2);
  double worst_exp = 0, worst_log = 0, worst_power = 0;
  for (int i = 0; i < 100000; ++i) {
    const double x = std::uniform_real_distribution<double>(-50, 50)(random);
    worst_exp = std::max(worst_exp, std::fabs(exponential(x) / std::exp(x) - 1));
    const double y = std::exp(x);
    worst_log = std::max(worst_log, std::fabs(natural_log(y) - std::log(y)) / std::max(1.0, std::fabs(x)));
    const double e = std::uniform_real_distribution<double>(0, 1)(random);
    worst_power = std::max(worst_power, std::fabs(power(1e6, e) / std::pow(1e6, e) - 1));
  }
  CHECK(worst_exp < 1e-15);
  CHECK(worst_log < 1e-15);
  CHECK(worst_power < 1e-14);
  CHECK(natural_log(1) == 0);
  CHECK(exponential(0) == 1);
}

}  // namespace ondol::model
