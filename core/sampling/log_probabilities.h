// From a row of logits to natural logarithms of probabilities, in double and with one result on every
// machine. Of equal logits the lower id comes first. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ondol {

struct RankedToken {
  int32_t id = 0;
  double logprob = 0;
};

// ln(sum(exp(logits))), in index order; not finite where a logit is NaN or +infinity (-infinity is a masked
// token). A token's log-probability is its logit less this.
double log_sum_exp(std::span<const float> logits);

// The `count` most probable tokens (all, if there are fewer), the best first. `log_sum` is
// log_sum_exp(logits).
std::vector<RankedToken> best_tokens(std::span<const float> logits, int64_t count, double log_sum);

// The most probable token.
int32_t best_token(std::span<const float> logits);

}  // namespace ondol
