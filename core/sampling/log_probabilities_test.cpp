#include "core/sampling/log_probabilities.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace ondol {
namespace {

const std::vector<float> kLogits{1.0f, 3.0f, 3.0f, -2.0f};

TEST_CASE("log-probabilities: they sum to one, and equal logits are ordered by id") {
  const std::vector<RankedToken> top = best_tokens(kLogits, 9, log_sum_exp(kLogits));
  REQUIRE(top.size() == 4);
  CHECK(top[0].id == 1);
  CHECK(top[1].id == 2);
  CHECK(top[2].id == 0);
  CHECK(top[3].id == 3);
  double sum = 0;
  for (const RankedToken& token : top) sum += std::exp(token.logprob);
  CHECK(sum == doctest::Approx(1).epsilon(1e-12));
  CHECK(best_token(kLogits) == 1);
}

TEST_CASE("log-probabilities: at most as many as asked, the best of all") {
  CHECK(best_tokens(kLogits, 0, 0).empty());
  CHECK(best_tokens(kLogits, -1, 0).empty());
  std::vector<float> many;
  for (int i = 0; i < 1000; ++i) many.push_back(static_cast<float>((i * 7919) % 1000));
  const std::vector<RankedToken> top = best_tokens(many, 3, 0);
  REQUIRE(top.size() == 3);
  for (size_t i = 0; i < 3; ++i) CHECK(top[i].logprob == 999 - static_cast<double>(i));
}

TEST_CASE(
    "log-probabilities: large logits do not overflow, infinite ones are seen, masked ones count nothing") {
  const float infinity = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(log_sum_exp(std::vector<float>{1000.0f, 1000.0f}) == doctest::Approx(1000 + std::log(2.0)));
  CHECK(log_sum_exp(std::vector<float>{2.0f, -infinity}) == 2.0);
  CHECK(!std::isfinite(log_sum_exp(std::vector<float>{1.0f, infinity})));
  CHECK(!std::isfinite(log_sum_exp(std::vector<float>{1.0f, nan})));
  CHECK(!std::isfinite(log_sum_exp(std::vector<float>{nan, 1.0f})));
}

}  // namespace
}  // namespace ondol
