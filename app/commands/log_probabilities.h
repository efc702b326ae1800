// From a row of logits to natural logarithms of probabilities, in double: what `eval` reports. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/runner/runner.h"

namespace ondol::commands {

struct RankedToken {
  TokenId id = 0;
  double logprob = 0;
};

// log(sum(exp(logits))); not finite where a logit is not.
double log_sum_exp(std::span<const float> logits);

// The `count` most probable tokens, the best first; of equal ones the lower id first.
std::vector<RankedToken> best_tokens(std::span<const float> logits, int64_t count);

// The most probable token; of equal ones the lowest id.
TokenId best_token(std::span<const float> logits);

}  // namespace ondol::commands
