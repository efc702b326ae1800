// Exact reading of weights as floats, any type. Rows are whole numbers of blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/base/dtype.h"

namespace ondol::kernels {

// Row `row` of a matrix [..][cols] that starts at `source`: out [cols].
void dequantize_row(DType type, const std::byte* source, int64_t cols, int64_t row, float* out);

// Columns [begin, begin + count) of the row that starts at `row`: out [count]. Both multiples of 32 for a
// quantized type.
void dequantize_columns(DType type, const std::byte* row, int64_t begin, int64_t count, float* out);

}  // namespace ondol::kernels
