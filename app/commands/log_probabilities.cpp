#include "app/commands/log_probabilities.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ondol::commands {

double log_sum_exp(std::span<const float> logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  return largest + std::log(sum);
}

std::vector<RankedToken> best_tokens(std::span<const float> logits, int64_t count) {
  std::vector<TokenId> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const int64_t kept = std::min(count, static_cast<int64_t>(order.size()));
  std::partial_sort(order.begin(), order.begin() + kept, order.end(), [&](TokenId a, TokenId b) {
    const float left = logits[static_cast<size_t>(a)], right = logits[static_cast<size_t>(b)];
    return left != right ? left > right : a < b;
  });
  const double total = log_sum_exp(logits);
  std::vector<RankedToken> ranked;
  for (int64_t i = 0; i < kept; ++i) {
    const TokenId id = order[static_cast<size_t>(i)];
    ranked.push_back({id, static_cast<double>(logits[static_cast<size_t>(id)]) - total});
  }
  return ranked;
}

TokenId best_token(std::span<const float> logits) {
  return static_cast<TokenId>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace ondol::commands
