// For tests and benchmarks: matrices of random blocks whose scales have sane sizes, and random activations.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/base/dtype.h"
#include "kernels/base/half.h"
#include "kernels/base/kernel_table.h"

namespace ondol::kernels {

inline constexpr DType kWeightTypes[] = {DType::kF32,  DType::kF16,    DType::kBF16,  DType::kQ4_0,
                                         DType::kQ4_1, DType::kQ5_0,   DType::kQ5_1,  DType::kQ8_0,
                                         DType::kQ2_K, DType::kQ3_K,   DType::kQ4_K,  DType::kQ5_K,
                                         DType::kQ6_K, DType::kIQ4_NL, DType::kIQ4_XS};

// Byte offsets of the f16 fields of a block; -1: none.
inline std::pair<int, int> half_fields(DType type) {
  switch (type) {
    case DType::kQ4_1:
    case DType::kQ5_1:
    case DType::kQ4_K:
    case DType::kQ5_K: return {0, 2};
    case DType::kQ2_K: return {80, 82};
    case DType::kQ3_K: return {108, -1};
    case DType::kQ6_K: return {208, -1};
    default: return {0, -1};
  }
}

inline std::vector<std::byte> random_weights(DType type, int64_t rows, int64_t cols, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0f, 0.05f);
  std::vector<std::byte> bytes(static_cast<size_t>(rows * dtype_bytes(type, cols)));
  const DTypeTraits& traits = *dtype_traits(type);
  if (traits.block_elements == 1) {
    for (int64_t i = 0; i < rows * cols; ++i) {
      const float value = normal(random);
      const uint16_t half = type == DType::kF16 ? f32_to_f16(value) : f32_to_bf16(value);
      if (type == DType::kF32) {
        std::memcpy(bytes.data() + i * 4, &value, 4);
      } else {
        std::memcpy(bytes.data() + i * 2, &half, 2);
      }
    }
    return bytes;
  }
  for (std::byte& b : bytes) b = static_cast<std::byte>(random() & 0xff);
  const auto [first, second] = half_fields(type);
  const bool super = traits.block_elements == 256;
  for (size_t at = 0; at < bytes.size(); at += static_cast<size_t>(traits.block_bytes)) {
    const uint16_t d = f32_to_f16(normal(random) * (super ? 0.02f : 0.2f));
    const uint16_t m = f32_to_f16(normal(random) * (super ? 0.1f : 1.0f));
    std::memcpy(bytes.data() + at + static_cast<size_t>(first), &d, 2);
    if (second >= 0) std::memcpy(bytes.data() + at + static_cast<size_t>(second), &m, 2);
  }
  return bytes;
}

inline void random_values(float* out, int64_t n, uint32_t seed, float deviation = 1.0f) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0f, deviation);
  for (int64_t i = 0; i < n; ++i) out[i] = normal(random);
}

inline PackedMatrix packed(const KernelTable& table, DType type, int64_t rows, int64_t cols,
                           const std::vector<std::byte>& bytes) {
  PackedMatrix w = table.pack_begin(type, rows, cols, bytes.data());
  table.pack_panels(w, bytes.data(), 0, w.panels());
  return w;
}

}  // namespace ondol::kernels
