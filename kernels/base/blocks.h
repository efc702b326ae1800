// The quantized blocks of GGUF files, as bytes lie in the file (little-endian, no padding), and the one
// reading of them that everything else is made of: the unsigned quants of 32 columns and their scales.
// Source: the GGUF format page and ggml's published block definitions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/base/dtype.h"

namespace ondol::kernels {

// Columns [32 g, 32 g + 32) of one row:
//   w[i] = scale[i / 16] * (q[i] - zero_point) + minimum[i / 16]
// scale and minimum are exact products of what the block stores. For IQ4 types q is the code-book value
// plus 128, and zero_point is 128.
struct GroupScales {
  uint16_t d = 0;          // f16: the block's scale
  uint16_t m = 0;          // f16: the block's minimum (Q4_1, Q5_1) or the scale of the minimums (K types)
  int8_t sc[2] = {1, 1};   // integer factor of d for each 16 columns
  uint8_t mn[2] = {0, 0};  // integer factor of -m for each 16 columns (K types)
};

bool is_quantized(DType type);
// Value of q that stands for zero.
int32_t zero_point(DType type);

// `row` is the first byte of a row of a quantized type; g counts groups of 32 columns.
void read_group_quants(DType type, const std::byte* row, int64_t g, uint8_t q[32]);
GroupScales read_group_scales(DType type, const std::byte* row, int64_t g);

// Effective scales and minimums of a group as floats, exact.
struct GroupFactors {
  float scale[2];
  float minimum[2];
};
GroupFactors group_factors(DType type, const GroupScales& scales);

// The 4-bit code book of IQ4_NL and IQ4_XS.
inline constexpr int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                          1,    13,   25,  38,  53,  69,  89,  113};

}  // namespace ondol::kernels
