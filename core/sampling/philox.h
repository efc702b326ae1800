// A counter-based random number: the same (seed, choice, position) always gives the same number, whatever
// was drawn before. Philox4x32-10, Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
#pragma once

#include <cstdint>

namespace ondol {

// Uniform in [0, 1), a multiple of 2^-53.
double uniform_at(uint64_t seed, uint32_t choice, uint32_t position);

}  // namespace ondol
