#include "core/sampling/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "core/sampling/exponential.h"
#include "core/sampling/log_probabilities.h"
#include "core/sampling/philox.h"

namespace ondol {
namespace {

Error bad(const char* field, const std::string& message) {
  return Error{Code::kInvalidArgument, message, field};
}

bool within(double value, double low, double high) { return value >= low && value <= high; }  // false for NaN

}  // namespace

Result<void> check_sampling(const SamplingOptions& options, int64_t vocabulary) {
  if (!within(options.temperature, 0.0, 2.0)) return bad("temperature", "must be a number from 0 to 2");
  if (options.top_k < 0) return bad("top_k", "must be 0 (off) or more");
  if (!(options.top_p > 0.0 && options.top_p <= 1.0)) return bad("top_p", "must be above 0 and at most 1");
  if (!within(options.min_p, 0.0, 1.0)) return bad("min_p", "must be a number from 0 to 1");
  if (!(options.repeat_penalty > 0.0 && options.repeat_penalty <= 10.0))
    return bad("repeat_penalty", "must be above 0 and at most 10");
  if (options.repeat_last_n < -1) return bad("repeat_last_n", "must be -1 (all), 0 (off) or more");
  if (!within(options.presence_penalty, -2.0, 2.0))
    return bad("presence_penalty", "must be a number from -2 to 2");
  if (!within(options.frequency_penalty, -2.0, 2.0))
    return bad("frequency_penalty", "must be a number from -2 to 2");
  if (options.top_logprobs < 0 || options.top_logprobs > kTopLogprobsMax)
    return bad("top_logprobs", "must be a whole number from 0 to " + std::to_string(kTopLogprobsMax));
  if (options.top_logprobs > 0 && !options.logprobs) return bad("top_logprobs", "needs logprobs to be true");
  for (const auto& [id, bias] : options.logit_bias) {
    if (id < 0 || id >= vocabulary)
      return bad("logit_bias", "names a token that the vocabulary does not have");
    if (!within(bias, -100.0, 100.0)) return bad("logit_bias", "a bias must be a number from -100 to 100");
  }
  return {};
}

void Sampler::penalize(std::vector<float>& logits, std::span<const int32_t> prompt,
                       std::span<const int32_t> answer) const {
  for (const auto& [id, bias] : options_.logit_bias)
    if (id >= 0 && static_cast<size_t>(id) < logits.size()) logits[static_cast<size_t>(id)] += bias;

  if (options_.repeat_penalty != 1.0 && options_.repeat_last_n != 0) {
    const size_t total = prompt.size() + answer.size();
    const size_t window = options_.repeat_last_n < 0 ? total : static_cast<size_t>(options_.repeat_last_n);
    std::vector<int32_t> recent;
    for (size_t i = total - std::min(total, window); i < total; ++i)
      recent.push_back(i < prompt.size() ? prompt[i] : answer[i - prompt.size()]);
    std::sort(recent.begin(), recent.end());
    recent.erase(std::unique(recent.begin(), recent.end()), recent.end());
    using Float = std::numeric_limits<float>;
    // The tiniest penalties would make an infinity of a logit, or NaN of a masked one.
    const float penalty = std::max(static_cast<float>(options_.repeat_penalty), Float::min());
    for (int32_t id : recent) {
      float& logit = logits[static_cast<size_t>(id)];
      logit = logit > 0 ? std::min(logit / penalty, Float::max()) : logit * penalty;
    }
  }
  if (options_.presence_penalty != 0.0 || options_.frequency_penalty != 0.0) {
    std::unordered_map<int32_t, int32_t> counts;
    for (int32_t id : answer) ++counts[id];
    for (const auto& [id, count] : counts)
      logits[static_cast<size_t>(id)] -=
          static_cast<float>(options_.presence_penalty + options_.frequency_penalty * count);
  }
}

int32_t Sampler::draw(std::vector<float>& logits, double uniform) const {
  const float best = *std::max_element(logits.begin(), logits.end());
  const double inverse_temperature = 1.0 / options_.temperature;
  const auto weight = [&](float logit) {
    return exp_nonpositive((static_cast<double>(logit) - best) * inverse_temperature);
  };
  const auto better = [](const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
  };

  std::vector<Candidate> candidates;
  candidates.reserve(logits.size());
  for (size_t id = 0; id < logits.size(); ++id) candidates.push_back({logits[id], static_cast<int32_t>(id)});

  const size_t top_k = static_cast<size_t>(options_.top_k);
  if (top_k > 0 && top_k < candidates.size()) {
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(top_k - 1),
                     candidates.end(), better);
    candidates.resize(top_k);
    std::sort(candidates.begin(), candidates.end(), better);
  }
  if (options_.top_p < 1.0) {
    // The best tokens whose mass reaches top_p; sorted only as far as that takes.
    std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    double total = 0;
    for (const Candidate& candidate : candidates) total += weight(candidate.logit);
    double mass = 0;
    size_t sorted = 0, kept = 0;
    while (kept < candidates.size() && mass < options_.top_p * total) {
      if (kept == sorted) {
        sorted = std::min(candidates.size(), std::max<size_t>(64, sorted * 4));
        std::partial_sort(candidates.begin() + static_cast<ptrdiff_t>(kept),
                          candidates.begin() + static_cast<ptrdiff_t>(sorted), candidates.end(), better);
      }
      mass += weight(candidates[kept++].logit);
    }
    candidates.resize(std::max<size_t>(kept, 1));
  }
  if (options_.min_p > 0.0)
    std::erase_if(candidates,
                  [&](const Candidate& candidate) { return weight(candidate.logit) < options_.min_p; });

  double total = 0;
  for (const Candidate& candidate : candidates) total += weight(candidate.logit);
  double left = uniform * total;
  for (const Candidate& candidate : candidates) {
    left -= weight(candidate.logit);
    if (left < 0) return candidate.id;
  }
  return std::min_element(candidates.begin(), candidates.end(), better)->id;  // rounding left nothing
}

Result<Pick> Sampler::pick(std::span<const float> logits, std::span<const int32_t> prompt,
                           std::span<const int32_t> answer, uint32_t choice) const {
  bool any_finite = false, any_bad = false;
  for (float logit : logits) {
    any_finite |= std::isfinite(logit);
    any_bad |= std::isnan(logit) || logit == std::numeric_limits<float>::infinity();
  }
  if (any_bad || !any_finite)
    return Error{Code::kInternal, "the model produced logits that are not numbers", "logits"};

  std::vector<float> adjusted(logits.begin(), logits.end());
  penalize(adjusted, prompt, answer);
  Pick pick;
  if (options_.temperature < kGreedyBelow) {
    pick.id = best_token(adjusted);
  } else {
    pick.id = draw(adjusted, uniform_at(options_.seed, choice, static_cast<uint32_t>(answer.size())));
  }
  if (options_.logprobs) {
    const double log_sum = log_sum_exp(logits);
    pick.logprob = static_cast<float>(logits[static_cast<size_t>(pick.id)] - log_sum);
    for (const RankedToken& token : best_tokens(logits, options_.top_logprobs, log_sum))
      pick.top.emplace_back(token.id, static_cast<float>(token.logprob));
  }
  return pick;
}

}  // namespace ondol
