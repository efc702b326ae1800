// Logits -> token, by a documented order:
//   1. logit_bias, 2. repeat penalty, 3. presence and frequency penalties, 4. temperature,
//   5. top_k, 6. top_p, 7. min_p, 8. one draw keyed by (seed, choice, position).
// Each of 5 to 7 keeps at least one token. A temperature below 1e-3 takes the best token after step 3
// (the lowest id among equals). Log-probabilities are those of the model itself, before step 1.
// Threads: a Sampler is immutable; pick() may be called from any thread with its own Scratch.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/sampling/sampling_options.h"

namespace ondol {

inline constexpr double kGreedyBelow = 1e-3;

struct Pick {
  int32_t id = 0;
  float logprob = 0;                           // natural, of the chosen token; 0 unless asked for
  std::vector<std::pair<int32_t, float>> top;  // best first, then by id
};

class Sampler {
 public:
  explicit Sampler(const SamplingOptions& options) : options_(options) {}

  // `prompt` and `answer` are the tokens so far; `choice` and answer.size() key the draw.
  // kInternal if a logit is NaN or +infinity, or none is finite.
  Result<Pick> pick(std::span<const float> logits, std::span<const int32_t> prompt,
                    std::span<const int32_t> answer, uint32_t choice) const;

 private:
  struct Candidate {
    float logit;
    int32_t id;
  };
  void penalize(std::vector<float>& logits, std::span<const int32_t> prompt,
                std::span<const int32_t> answer) const;
  int32_t draw(std::vector<float>& logits, double uniform) const;

  SamplingOptions options_;
};

}  // namespace ondol
