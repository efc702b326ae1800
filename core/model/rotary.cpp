#include "core/model/rotary.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/model/elementary.h"

namespace ondol::model {
namespace {

constexpr double kTwoPi = 0x1.921fb54442d18p+2;

// The (fractional) pair that turns `rotations` times over the original context.
double yarn_pair(const RotarySpec& spec, double rotations) {
  return spec.dim * natural_log(spec.original_context / (rotations * kTwoPi)) / (2 * natural_log(spec.base));
}

// YaRN: pairs below `low` keep their frequency, pairs above `high` are slowed by `factor`, a ramp between.
void scale_yarn(const RotarySpec& spec, std::vector<float>& frequencies) {
  const double low = std::max(std::floor(yarn_pair(spec, spec.beta_fast)), 0.0);
  double high = std::min(std::ceil(yarn_pair(spec, spec.beta_slow)), static_cast<double>(spec.dim - 1));
  if (low == high) high += 0.001;  // as the reference code does, against a division by zero
  for (size_t i = 0; i < frequencies.size(); ++i) {
    const float ramp =
        std::clamp(static_cast<float>((static_cast<double>(i) - low) / (high - low)), 0.0f, 1.0f);
    const float slowed = frequencies[i] / static_cast<float>(spec.factor);
    frequencies[i] = slowed * ramp + frequencies[i] * (1.0f - ramp);
  }
}

}  // namespace

std::vector<float> rotary_frequencies(const RotarySpec& spec, std::span<const float> factors) {
  std::vector<float> frequencies(static_cast<size_t>(spec.dim / 2));
  for (size_t i = 0; i < frequencies.size(); ++i) {
    const double exponent = static_cast<double>(2 * i) / spec.dim;
    frequencies[i] = 1.0f / static_cast<float>(power(spec.base, exponent));
  }
  switch (spec.scaling) {
    case RotaryScaling::kNone: break;
    case RotaryScaling::kLinear:
      for (float& frequency : frequencies) frequency /= static_cast<float>(spec.factor);
      break;
    case RotaryScaling::kYarn: scale_yarn(spec, frequencies); break;
    case RotaryScaling::kFactors:
    case RotaryScaling::kLongRope:
      CHECK(factors.size() == frequencies.size());
      for (size_t i = 0; i < frequencies.size(); ++i) {
        frequencies[i] /= factors[i] * static_cast<float>(spec.factor);
      }
      break;
  }
  return frequencies;
}

void rotary_angles(std::span<const float> frequencies, int32_t position, float magnitude, float* cos,
                   float* sin) {
  for (size_t i = 0; i < frequencies.size(); ++i) {
    const float angle = static_cast<float>(position) * frequencies[i];
    const SineCosine exact = sine_cosine(static_cast<double>(angle));
    cos[i] = static_cast<float>(exact.cosine) * magnitude;
    sin[i] = static_cast<float>(exact.sine) * magnitude;
  }
}

}  // namespace ondol::model
