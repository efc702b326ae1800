// The twin against the float32 truth, within the bounds that 8-bit activations allow.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "kernels/base/pack.h"
#include "kernels/reference/dequantize.h"
#include "kernels/reference/random_weights.h"
#include "kernels/reference/tables.h"

using namespace ondol::kernels;

namespace {

// What rounding the activations may change: half a step of each weight, and the float sums' rounding. A
// group's step is its largest value / 127, but never more than 6 root mean squares of the row / 127.
double bound_of(const std::vector<float>& w, const float* x, int64_t cols, bool quantized) {
  double bound = 0, squares = 0;
  for (int64_t k = 0; k < cols; ++k) squares += double{x[k]} * x[k];
  const double most = 6 * std::sqrt(squares / static_cast<double>(cols));
  for (int64_t g = 0; g < cols; g += 32) {
    double largest = 0, weights = 0, products = 0;
    for (int64_t k = g; k < cols && k < g + 32; ++k) {
      largest = std::max(largest, std::abs(double{x[k]}));
      weights += std::abs(double{w[static_cast<size_t>(k)]});
      products += std::abs(double{w[static_cast<size_t>(k)]} * x[k]);
    }
    bound += (quantized ? weights * std::min(largest, most) / 254.0 * 1.001 : 0) + products * 1e-5;
  }
  return bound + 1e-6;
}

}  // namespace

TEST_CASE(
    "twin: a product is as near to the truth as 8-bit activations allow, for every type and odd shape") {
  for (const DType type : kWeightTypes) {
    const DTypeTraits& traits = *dtype_traits(type);
    for (const int64_t rows : {1, 17, 40}) {
      const int64_t cols = traits.block_elements == 1 ? 77 : traits.block_elements * (rows == 17 ? 3 : 1);
      for (const int64_t m : {1, 5}) {
        const auto bytes = random_weights(type, rows, cols, 7 + static_cast<uint32_t>(rows));
        const PackedMatrix truth = packed(kReferenceTable, type, rows, cols, bytes);
        const PackedMatrix twin = packed(kTwinTable, type, rows, cols, bytes);
        ActivationBuffer x;
        x.resize(m, cols);
        random_values(x.values(), m * cols, 3);
        for (int64_t i = 0; i < m * cols; i += 97) x.values()[i] *= 50.0f;
        kTwinTable.quantize(x, 0, m);
        std::vector<float> expected(static_cast<size_t>(m * rows)), got(expected.size());
        kReferenceTable.matmul(truth, x, nullptr, m, expected.data(), rows, 0, truth.panels());
        kTwinTable.matmul(twin, x, nullptr, m, got.data(), rows, 0, twin.panels());
        std::vector<float> w(static_cast<size_t>(cols));
        for (int64_t r = 0; r < rows; ++r) {
          dequantize_row(type, bytes.data(), cols, r, w.data());
          for (int64_t i = 0; i < m; ++i) {
            const auto at = static_cast<size_t>(i * rows + r);
            const double bound = bound_of(w, x.row(i), cols, traits.block_elements > 1);
            CAPTURE(traits.name);
            REQUIRE(std::abs(double{expected[at]} - got[at]) <= bound);
          }
        }
      }
    }
  }
}

TEST_CASE("reference: a product equals the sum of the dequantized row in double") {
  for (const DType type : kWeightTypes) {
    const int64_t rows = 5, cols = dtype_traits(type)->block_elements == 1 ? 1500 : 2048;
    const auto bytes = random_weights(type, rows, cols, 99);
    const PackedMatrix truth = packed(kReferenceTable, type, rows, cols, bytes);
    ActivationBuffer x;
    x.resize(3, cols);
    random_values(x.values(), 3 * cols, 4);
    const int32_t index[] = {2, 0};
    std::vector<float> y(2 * 5), w(static_cast<size_t>(cols));
    kReferenceTable.matmul(truth, x, index, 2, y.data(), rows, 0, 1);
    for (int64_t r = 0; r < rows; ++r) {
      dequantize_row(type, bytes.data(), cols, r, w.data());
      for (int64_t i = 0; i < 2; ++i) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < cols; ++k) {
          sum += double{w[static_cast<size_t>(k)]} * x.row(index[i])[k];
          size += std::abs(double{w[static_cast<size_t>(k)]} * x.row(index[i])[k]);
        }
        REQUIRE(std::abs(sum - y[static_cast<size_t>(i * rows + r)]) <= 1e-6 * size + 1e-6);
      }
    }
  }
}

TEST_CASE("twin: the element-wise operations are near the truth") {
  const int64_t n = 333;
  std::vector<float> x(n), y(n), a(n), b(n);
  for (int64_t i = 0; i < n; ++i) x[static_cast<size_t>(i)] = -12.0f + static_cast<float>(i) * 0.075f;
  random_values(y.data(), n, 5);
  for (const ActivationKind kind : {ActivationKind::kSilu, ActivationKind::kGeluTanh}) {
    kReferenceTable.gated(x.data(), y.data(), n, kind, a.data());
    kTwinTable.gated(x.data(), y.data(), n, kind, b.data());
    for (size_t i = 0; i < a.size(); ++i) REQUIRE(b[i] == doctest::Approx(a[i]).epsilon(3e-6));
  }
  a = x;
  b = x;
  kReferenceTable.soft_cap(5.0f, n, a.data());
  kTwinTable.soft_cap(5.0f, n, b.data());
  for (size_t i = 0; i < a.size(); ++i) REQUIRE(std::abs(a[i] - b[i]) <= 5e-7f * std::abs(a[i]));
  kReferenceTable.rms_norm(x.data(), y.data(), 1e-6f, n, a.data());
  kTwinTable.rms_norm(x.data(), y.data(), 1e-6f, n, b.data());
  for (size_t i = 0; i < a.size(); ++i) REQUIRE(std::abs(a[i] - b[i]) <= 1e-6f * std::abs(a[i]));
  a = x;
  b = x;
  CHECK(kTwinTable.log_sum_exp(b.data(), n) == doctest::Approx(kReferenceTable.log_sum_exp(a.data(), n)));
  kReferenceTable.softmax(n, a.data());
  kTwinTable.softmax(n, b.data());
  for (size_t i = 0; i < a.size(); ++i) REQUIRE(std::abs(a[i] - b[i]) <= 3e-6f * a[i]);
}

TEST_CASE(
    "twin: a group with an infinity or NaN shows it in every product; a tiny or zero group gives zero") {
  const auto bytes = random_weights(DType::kQ8_0, 16, 64, 1);
  const PackedMatrix w = packed(kTwinTable, DType::kQ8_0, 16, 64, bytes);
  ActivationBuffer x;
  x.resize(4, 64);
  for (int i = 0; i < 4 * 64; ++i) x.values()[i] = 0.0f;
  x.row(1)[5] = 1e-38f;
  x.row(2)[40] = std::numeric_limits<float>::infinity();
  x.row(3)[0] = std::numeric_limits<float>::quiet_NaN();
  kTwinTable.quantize(x, 0, 4);
  float y[4 * 16];
  kTwinTable.matmul(w, x, nullptr, 4, y, 16, 0, 1);
  for (int r = 0; r < 16; ++r) {
    CHECK(y[r] == 0.0f);
    CHECK(y[16 + r] == 0.0f);
    CHECK(std::isnan(y[32 + r]));
    CHECK(std::isnan(y[48 + r]));
  }
}

TEST_CASE("quantize: a group's scale comes from its own 32 columns") {
  ActivationBuffer x;
  x.resize(1, 96);
  for (int i = 0; i < 96; ++i) x.values()[i] = i < 32 ? 1.0f : i < 64 ? 100.0f : 10.0f;
  kTwinTable.quantize(x, 0, 1);
  CHECK(x.scales()[0] == 1.0f / 127.0f);
  CHECK(x.scales()[1] == 100.0f / 127.0f);
  CHECK(x.scales()[2] == 10.0f / 127.0f);
}

TEST_CASE("quantize: the largest value becomes 127, halves go to the even step, sums are kept") {
  ActivationBuffer x;
  x.resize(1, 40);
  for (int i = 0; i < 40; ++i) x.values()[i] = 0.0f;
  x.values()[0] = -254.0f;  // step 2
  x.values()[1] = 3.0f;     // 1.5 -> 2
  x.values()[2] = 5.0f;     // 2.5 -> 2
  x.values()[3] = 254.0f;
  x.values()[33] = 1.0f;
  kTwinTable.quantize(x, 0, 1);
  CHECK(x.scales()[0] == 2.0f);
  CHECK(x.quants()[0] == -127);
  CHECK(x.quants()[1] == 2);
  CHECK(x.quants()[2] == 2);
  CHECK(x.quants()[33] == 127);
  CHECK(x.quants()[63] == 0);
  CHECK(x.sums()[0] == 4);
  CHECK(x.group_sums()[1] == 127);
  CHECK(x.scaled_sums()[0] == 8.0f);
}

TEST_CASE("quantize: a group above six root mean squares of its row has integers of two bytes") {
  ActivationBuffer x;
  x.resize(2, 64);
  for (int i = 0; i < 2 * 64; ++i) x.values()[i] = 1.0f;
  x.row(0)[0] = 100.0f;  // 100^2 is above 36 (100^2 + 63) / 64
  x.row(0)[2] = -1.0f;
  x.row(1)[0] = 9.0f;  // 9^2 is below 36 (9^2 + 63) / 64
  kTwinTable.quantize(x, 0, 2);
  CHECK(x.shifts()[0] == 7);
  CHECK(x.scales()[0] == 100.0f / 16256.0f);
  CHECK(x.quants()[0] == 127);
  CHECK(x.low_quants()[0] == 0);
  CHECK(x.quants()[1] == 1);  // 162.56 -> 163 = 128 + 35
  CHECK(x.low_quants()[1] == 35);
  CHECK(x.quants()[2] == -1);
  CHECK(x.low_quants()[2] == -35);
  CHECK(x.sums()[0] == 16256 - 163 + 14 * 163);
  for (const int64_t coarse : {1, 2, 3}) {
    CHECK(x.shifts()[coarse] == 0);
    for (int64_t i = 0; i < 32; ++i) CHECK(x.low_quants()[coarse * 32 + i] == 0);
  }
  CHECK(x.quants()[32] == 127);
}

TEST_CASE("twin: its fused multiply-add rounds once, for any bits") {
  std::mt19937 random(5);
  const auto any = [&](int spread) {
    // Random mantissas with exponents that often meet, so that sums cancel, tie and underflow.
    const auto exponent =
        static_cast<uint32_t>(127 - spread / 2 + static_cast<int>(random() % 1024) * spread / 1024);
    const auto mantissa =
        static_cast<uint32_t>(random() % 3 == 0 ? (random() & 7u) << 20 : random() & 0x7fffffu);
    return std::bit_cast<float>((static_cast<uint32_t>(random() & 1u) << 31) | (exponent << 23) | mantissa);
  };
  for (int i = 0; i < 400000; ++i) {
    const int spread = i % 2 ? 60 : 250;
    const float a = any(spread), b = any(spread);
    float c = any(spread);
    if (i % 5 == 0) c = -(a * b) * (i % 3 ? 1.0f : 1.0000001f);
    float y = c;
    kTwinTable.add_scaled(&b, a, 1, &y);
    const float expected = std::fmaf(a, b, c);
    if (std::isnan(expected)) {
      REQUIRE(std::isnan(y));
    } else {
      REQUIRE(std::bit_cast<uint32_t>(y) == std::bit_cast<uint32_t>(expected));
    }
  }
}
