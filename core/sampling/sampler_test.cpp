#include "core/sampling/sampler.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/sampling/exponential.h"
#include "core/sampling/philox.h"

namespace ondol {
namespace {

std::vector<float> some_logits() { return {0.5f, 2.0f, -1.0f, 2.0f, 1.0f, -3.0f, 0.0f, 1.5f}; }

int32_t pick(const SamplingOptions& options, std::vector<int32_t> prompt = {},
             std::vector<int32_t> answer = {}, uint32_t choice = 0) {
  auto result = Sampler(options).pick(some_logits(), prompt, answer, choice);
  REQUIRE(result);
  return result->id;
}

// How often each token comes in `draws` positions of one stream.
std::map<int32_t, int> histogram(const SamplingOptions& options, int draws) {
  std::map<int32_t, int> counts;
  std::vector<int32_t> answer;
  for (int i = 0; i < draws; ++i) {
    ++counts[pick(options, {}, answer)];
    answer.push_back(0);
  }
  return counts;
}

TEST_CASE("sampling: temperature 0 takes the best token, the lowest id among equals") {
  SamplingOptions options;
  options.temperature = 0;
  CHECK(pick(options) == 1);
}

TEST_CASE("B31: a tiny temperature acts as greedy, out of range and NaN are refused by name") {
  SamplingOptions options;
  for (double tiny : {1e-4, 1e-38, 5e-324}) {
    options.temperature = tiny;
    CHECK(check_sampling(options, 8));
    CHECK(pick(options) == 1);
  }
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  for (double bad : {nan, infinity, -infinity, -1.0, 5.0}) {
    options.temperature = bad;
    REQUIRE_FALSE(check_sampling(options, 8));
    CHECK(check_sampling(options, 8).error().where == "temperature");
  }
  options.temperature = 1;
  for (double bad : {0.0, 1.0001, nan, -0.1}) {
    options.top_p = bad;
    REQUIRE_FALSE(check_sampling(options, 8));
    CHECK(check_sampling(options, 8).error().where == "top_p");
  }
  options.top_p = 1;
  options.min_p = 2;
  CHECK_FALSE(check_sampling(options, 8));
  options.min_p = 0;
  options.top_k = -1;
  CHECK_FALSE(check_sampling(options, 8));
}

TEST_CASE(
    "B30: the same seed, choice and position give the same token; another of any gives another stream") {
  SamplingOptions options;
  options.seed = 42;
  std::vector<int32_t> first, again, other_seed, other_choice;
  std::vector<int32_t> answer;
  for (int i = 0; i < 64; ++i) {
    first.push_back(pick(options, {}, answer));
    again.push_back(pick(options, {}, answer));
    other_choice.push_back(pick(options, {}, answer, 1));
    SamplingOptions other = options;
    other.seed = 43;
    other_seed.push_back(pick(other, {}, answer));
    answer.push_back(0);
  }
  CHECK(first == again);
  CHECK(first != other_seed);
  CHECK(first != other_choice);
}

TEST_CASE("sampling: frequencies follow the softmax") {
  SamplingOptions options;
  const int draws = 20000;
  auto counts = histogram(options, draws);
  const auto logits = some_logits();
  double total = 0;
  for (float logit : logits) total += std::exp(logit);
  for (size_t id = 0; id < logits.size(); ++id)
    CHECK(counts[static_cast<int32_t>(id)] / double{draws} ==
          doctest::Approx(std::exp(logits[id]) / total).epsilon(0.12));
}

TEST_CASE("sampling: top_k, top_p and min_p keep the best and at least one") {
  SamplingOptions options;
  options.top_k = 2;
  auto counts = histogram(options, 500);
  CHECK(counts.size() == 2);
  CHECK(counts.count(1) == 1);
  CHECK(counts.count(3) == 1);
  options.top_k = 0;
  options.top_p = 1e-9;
  CHECK(histogram(options, 50).size() == 1);
  options.top_p = 0.55;  // 0.31 + 0.31 of the two best reach it
  CHECK(histogram(options, 500).size() == 2);
  options.top_p = 1.0;
  options.min_p = 1.0;
  CHECK(histogram(options, 200).size() == 2);  // the two equal best
}

TEST_CASE("sampling: penalties and bias move the pick") {
  SamplingOptions options;
  options.temperature = 0;
  options.logit_bias = {{5, 100.0f}};
  CHECK(pick(options) == 5);
  options.logit_bias = {{1, -100.0f}};
  CHECK(pick(options) == 3);
  options.logit_bias.clear();
  options.repeat_penalty = 2.0;
  CHECK(pick(options, {1}, {}) == 3);
  CHECK(pick(options, {1}, {3}) == 7);
  options.repeat_last_n = 1;
  CHECK(pick(options, {1}, {3}) == 1);
  options.repeat_penalty = 1.0;
  options.presence_penalty = 1.0;
  CHECK(pick(options, {1}, {}) == 1);  // over the answer only
  CHECK(pick(options, {}, {1}) == 3);
  options.presence_penalty = 0;
  options.frequency_penalty = 0.4;
  CHECK(pick(options, {}, {1, 3}) == 1);
  CHECK(pick(options, {}, {1, 1, 3, 3}) == 7);
}

TEST_CASE("B29: top log-probabilities are sorted, at most as many as asked, and sum to one over all") {
  SamplingOptions options;
  options.logprobs = true;
  options.top_logprobs = 5;
  auto result = Sampler(options).pick(some_logits(), {}, {}, 0);
  REQUIRE(result);
  REQUIRE(result->top.size() == 5);
  for (size_t i = 1; i < 5; ++i) CHECK(result->top[i - 1].second >= result->top[i].second);
  CHECK(result->top[0].first == 1);
  options.top_logprobs = 8;
  result = Sampler(options).pick(some_logits(), {}, {}, 0);
  REQUIRE(result);
  REQUIRE(result->top.size() == 8);
  double sum = 0;
  for (const auto& [id, logprob] : result->top) sum += std::exp(logprob);
  CHECK(sum == doctest::Approx(1.0));
  options.top_logprobs = 21;
  CHECK_FALSE(check_sampling(options, 8));
  options.top_logprobs = 3;
  options.logprobs = false;
  CHECK_FALSE(check_sampling(options, 8));
}

TEST_CASE("sampling: the smallest repeat penalties leave numbers to draw from") {
  const float masked = -std::numeric_limits<float>::infinity();
  const std::vector<float> logits{1.0f, masked, 0.5f, -1.0f};
  for (double penalty : {1e-30, 1e-40, 1e-60, 5e-324}) {
    SamplingOptions options;
    options.repeat_penalty = penalty;
    options.min_p = 0.5;
    options.logit_bias = {{2, 0.5f}};  // as good as token 0
    REQUIRE(check_sampling(options, 4));
    std::map<int32_t, int> counts;
    for (uint32_t choice = 0; choice < 100; ++choice) {
      auto result = Sampler(options).pick(logits, std::vector<int32_t>{0, 1, 2}, {}, choice);
      REQUIRE(result);
      ++counts[result->id];
    }
    CHECK(counts.size() == 2);
    CHECK(counts[0] > 0);
    CHECK(counts[2] > 0);
  }
}

TEST_CASE("sampling: logits that are not numbers are an error, minus infinity is a masked token") {
  SamplingOptions options;
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  CHECK_FALSE(Sampler(options).pick(std::vector<float>{1, nan}, {}, {}, 0));
  CHECK_FALSE(Sampler(options).pick(std::vector<float>{1, infinity}, {}, {}, 0));
  CHECK_FALSE(Sampler(options).pick(std::vector<float>{-infinity, -infinity}, {}, {}, 0));
  auto masked = Sampler(options).pick(std::vector<float>{-infinity, 1, -infinity}, {}, {}, 0);
  REQUIRE(masked);
  CHECK(masked->id == 1);
}

TEST_CASE("sampling: the exponential agrees with the C library to the last bits") {
  for (double x = 0; x > -700; x -= 0.0371) {
    CHECK(exp_nonpositive(x) == doctest::Approx(std::exp(x)).epsilon(1e-14));
  }
  CHECK(exp_nonpositive(-1e9) == 0.0);
  CHECK(exp_nonpositive(-std::numeric_limits<double>::infinity()) == 0.0);
  CHECK(std::isnan(exp_nonpositive(std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("sampling: uniform numbers fill [0, 1) evenly") {
  int low = 0;
  for (uint32_t position = 0; position < 10000; ++position) {
    const double value = uniform_at(7, 0, position);
    REQUIRE(value >= 0.0);
    REQUIRE(value < 1.0);
    low += value < 0.25;
  }
  CHECK(low > 2300);
  CHECK(low < 2700);
}

}  // namespace
}  // namespace ondol
