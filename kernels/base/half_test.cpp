#include "kernels/base/half.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace ondol::kernels;

TEST_CASE("half: every finite f16 survives the way to float and back") {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const auto half = static_cast<uint16_t>(h);
    if ((half & 0x7c00) == 0x7c00) continue;
    const float value = f16_to_f32(half);
    const int exponent = (half >> 10) & 31;
    const double expected =
        exponent == 0 ? std::ldexp(half & 0x3ff, -24) : std::ldexp((half & 0x3ff) + 1024, exponent - 25);
    REQUIRE(std::abs(value) == expected);
    REQUIRE(std::signbit(value) == ((half & 0x8000) != 0));
    REQUIRE(f32_to_f16(value) == half);
  }
}

TEST_CASE("half: rounding to f16 goes to the nearest, ties to even, denormals too") {
  CHECK(f32_to_f16(1.0f + 0x1p-11f) == 0x3c00);
  CHECK(f32_to_f16(1.0f + 3 * 0x1p-11f) == 0x3c02);
  CHECK(f32_to_f16(0x1p-25f) == 0);
  CHECK(f32_to_f16(3 * 0x1p-25f) == 2);
  CHECK(f32_to_f16(0x1p-14f - 0x1p-26f) == 0x0400);
}

TEST_CASE("half: what is too large becomes the largest, NaN stays NaN") {
  CHECK(f32_to_f16(1e9f) == 0x7bff);
  CHECK(f32_to_f16(-std::numeric_limits<float>::infinity()) == 0xfbff);
  CHECK(f32_to_bf16(std::numeric_limits<float>::infinity()) == 0x7f7f);
  CHECK(f32_to_bf16(std::numeric_limits<float>::max()) == 0x7f7f);
  CHECK(std::isnan(f16_to_f32(f32_to_f16(std::numeric_limits<float>::quiet_NaN()))));
  CHECK(std::isnan(bf16_to_f32(f32_to_bf16(std::numeric_limits<float>::quiet_NaN()))));
  CHECK(f32_to_bf16(1.0f + 0x1p-8f) == 0x3f80);
  CHECK(f32_to_bf16(1.0f + 3 * 0x1p-8f) == 0x3f82);
}
