// Rotary position embedding: frequencies of a RotarySpec, and a position's sines and cosines.
// Conventions are those of float32 training code: frequencies and angles are rounded to float32, sine and
// cosine are exact up to float32 rounding. The same bits on every machine (elementary.h). Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/model_spec.h"

namespace ondol::model {

// [dim/2] radians a position. `factors` [dim/2]: divisors (kFactors, kLongRope); ignored by the other
// scalings.
std::vector<float> rotary_frequencies(const RotarySpec& spec, std::span<const float> factors);

// cos and sin [frequencies.size()] of position * frequency, times `magnitude`.
void rotary_angles(std::span<const float> frequencies, int32_t position, float magnitude, float* cos,
                   float* sin);

}  // namespace ondol::model
