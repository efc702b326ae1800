#include "core/sampling/log_probabilities.h"

#include <algorithm>
#include <cmath>

#include "core/sampling/exponential.h"

namespace ondol {

double log_sum_exp(std::span<const float> logits) {
  const double best = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += exp_nonpositive(static_cast<double>(logit) - best);
  return best + std::log(sum);
}

std::vector<RankedToken> best_tokens(std::span<const float> logits, int64_t count, double log_sum) {
  const auto better = [&](int32_t a, int32_t b) {
    const float left = logits[static_cast<size_t>(a)], right = logits[static_cast<size_t>(b)];
    return left != right ? left > right : a < b;
  };
  const auto size = static_cast<int32_t>(logits.size());
  const auto kept = static_cast<size_t>(std::clamp<int64_t>(count, 0, size));
  if (kept == 0) return {};
  std::vector<int32_t> best;  // a heap whose front is the worst of those kept
  for (int32_t id = 0; id < size; ++id) {
    if (best.size() < kept) {
      best.push_back(id);
      std::push_heap(best.begin(), best.end(), better);
    } else if (better(id, best.front())) {
      std::pop_heap(best.begin(), best.end(), better);
      best.back() = id;
      std::push_heap(best.begin(), best.end(), better);
    }
  }
  std::sort_heap(best.begin(), best.end(), better);
  std::vector<RankedToken> ranked;
  for (const int32_t id : best) ranked.push_back({id, logits[static_cast<size_t>(id)] - log_sum});
  return ranked;
}

int32_t best_token(std::span<const float> logits) {
  return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace ondol
