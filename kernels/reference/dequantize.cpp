#include "kernels/reference/dequantize.h"

#include <cstring>

#include "kernels/base/blocks.h"
#include "kernels/base/half.h"

namespace ondol::kernels {
namespace {

// w = scale * (q - zero_point) + minimum: the product is exact in every type but Q6_K, whose one rounding is
// the same as in the formula (d * sc) * q; the sum rounds once.
void dequantize_group(DType type, const std::byte* row, int64_t g, float zero, bool has_minimum, float* out) {
  uint8_t q[32];
  read_group_quants(type, row, g, q);
  const GroupFactors f = group_factors(type, read_group_scales(type, row, g));
  if (has_minimum) {
    for (int i = 0; i < 16; ++i) out[i] = f.scale[0] * static_cast<float>(q[i]) + f.minimum[0];
    for (int i = 16; i < 32; ++i) out[i] = f.scale[1] * static_cast<float>(q[i]) + f.minimum[1];
  } else {
    for (int i = 0; i < 16; ++i) out[i] = f.scale[0] * (static_cast<float>(q[i]) - zero);
    for (int i = 16; i < 32; ++i) out[i] = f.scale[1] * (static_cast<float>(q[i]) - zero);
  }
}

}  // namespace

void dequantize_columns(DType type, const std::byte* row, int64_t begin, int64_t count, float* out) {
  switch (type) {
    case DType::kF32: std::memcpy(out, row + begin * 4, static_cast<size_t>(count) * 4); return;
    case DType::kF16:
    case DType::kBF16: {
      for (int64_t i = 0; i < count; ++i) {
        uint16_t half;
        std::memcpy(&half, row + (begin + i) * 2, sizeof half);
        out[i] = type == DType::kF16 ? f16_to_f32(half) : bf16_to_f32(half);
      }
      return;
    }
    default: break;
  }
  const auto zero = static_cast<float>(zero_point(type));
  for (int64_t g = 0; g < count / 32; ++g) {
    dequantize_group(type, row, begin / 32 + g, zero, zero == 0.0f, out + g * 32);
  }
}

void dequantize_row(DType type, const std::byte* source, int64_t cols, int64_t row, float* out) {
  dequantize_columns(type, source + row * dtype_bytes(type, cols), 0, cols, out);
}

}  // namespace ondol::kernels
