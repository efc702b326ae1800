// Conversions between float and its 16-bit forms, equal bit for bit to the F16C instructions. Functions have
// internal linkage: a copy compiled for one instruction set is never shared with another.
#pragma once

#include <bit>
#include <cstdint>

namespace ondol::kernels {

inline constexpr float kF16Max = 65504.0f;

[[maybe_unused]] static inline float f16_to_f32(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t magnitude = static_cast<uint32_t>(half & 0x7fffu) << 13;
  // The exponent is re-biased by a product, which also gives the denormals their value.
  uint32_t bits = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  if (magnitude >= (0x7c00u << 13)) {
    bits = magnitude > (0x7c00u << 13) ? (0x7fc00000u | magnitude) : 0x7f800000u;
  }
  return std::bit_cast<float>(bits | sign);
}

// Round to nearest even; beyond the range, infinities too, becomes +-65504. NaN stays NaN.
[[maybe_unused]] static inline uint16_t f32_to_f16(float value) {
  const uint32_t all = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((all >> 16) & 0x8000u);
  uint32_t bits = all & 0x7fffffffu;
  if (bits > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | ((bits >> 13) & 0x3ffu));
  if (bits > 0x477fe000u) bits = 0x477fe000u;
  if (bits < 0x38800000u) {  // below 2^-14: adding 0.5 rounds at 2^-24
    const float shifted = std::bit_cast<float>(bits) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  bits += 0xfffu + ((bits >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((bits >> 13) - (112u << 10)));
}

[[maybe_unused]] static inline float bf16_to_f32(uint16_t half) {
  return std::bit_cast<float>(static_cast<uint32_t>(half) << 16);
}

// Round to nearest even; beyond the range, infinities too, becomes the largest finite value. NaN stays NaN.
[[maybe_unused]] static inline uint16_t f32_to_bf16(float value) {
  const uint32_t all = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((all >> 16) & 0x8000u);
  const uint32_t bits = all & 0x7fffffffu;
  if (bits > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7fc0u);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return static_cast<uint16_t>(sign | (rounded > 0x7f7fu ? 0x7f7fu : rounded));
}

}  // namespace ondol::kernels
