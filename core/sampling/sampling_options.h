// How a token is picked from logits; plain values. Ranges are checked by check_sampling().
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace ondol {

inline constexpr int32_t kTopLogprobsMax = 20;

struct SamplingOptions {
  double temperature = 1.0;        // [0, 2]; below 1e-3 the pick is greedy
  int32_t top_k = 0;               // 0: off
  double top_p = 1.0;              // (0, 1]
  double min_p = 0.0;              // [0, 1]
  double repeat_penalty = 1.0;     // (0, 10]; over the last repeat_last_n tokens of prompt and answer
  int32_t repeat_last_n = 64;      // 0: off, -1: all
  double presence_penalty = 0.0;   // [-2, 2]; over the answer's tokens
  double frequency_penalty = 0.0;  // [-2, 2]
  uint64_t seed = 0;
  std::vector<std::pair<int32_t, float>> logit_bias;  // (token, [-100, 100])
  int32_t top_logprobs = 0;                           // [0, kTopLogprobsMax]
  bool logprobs = false;
};

// kInvalidArgument naming the field in `where`; NaN and infinities fail too.
Result<void> check_sampling(const SamplingOptions& options, int64_t vocabulary);

}  // namespace ondol
