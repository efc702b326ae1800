#include "kernels/reference/dequantize.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/base/blocks.h"
#include "kernels/base/half.h"
#include "kernels/reference/random_weights.h"

using namespace ondol::kernels;

namespace {

std::vector<std::byte> from_hex(const std::string& text) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::vector<float> dequantized(DType type, const std::vector<std::byte>& block) {
  const DTypeTraits& traits = *dtype_traits(type);
  const int64_t count = static_cast<int64_t>(block.size()) / traits.block_bytes * traits.block_elements;
  std::vector<float> out(static_cast<size_t>(count));
  dequantize_row(type, block.data(), count, 0, out.data());
  return out;
}

// A block of zero bytes whose f16 at `offset` is 1.
std::vector<std::byte> unit_block(DType type, int offset) {
  std::vector<std::byte> block(static_cast<size_t>(dtype_traits(type)->block_bytes));
  const uint16_t one = 0x3c00;
  std::memcpy(block.data() + offset, &one, 2);
  return block;
}

}  // namespace

TEST_CASE("dequantize: every quantized type gives the bits of the gguf package") {
  std::ifstream file(ONDOL_TEST_DATA "/blocks/blocks.txt");
  std::string name, number, blocks, values;
  int types = 0;
  while (file >> name >> number >> blocks >> values) {
    const auto type = static_cast<DType>(std::stoi(number));
    CAPTURE(name);
    REQUIRE(dtype_traits(type) != nullptr);
    REQUIRE(dtype_traits(type)->name == name);
    const std::vector<float> got = dequantized(type, from_hex(blocks));
    const std::vector<std::byte> expected = from_hex(values);
    REQUIRE(expected.size() == got.size() * 4);
    for (size_t i = 0; i < got.size(); ++i) {
      float value;
      std::memcpy(&value, expected.data() + i * 4, 4);
      CAPTURE(i);
      REQUIRE(value == got[i]);
    }
    ++types;
  }
  CHECK(types == 12);
}

TEST_CASE("dequantize: the types whose blocks are written by hand") {
  auto q4_0 = unit_block(DType::kQ4_0, 0);
  q4_0[2] = std::byte{0xf0};  // column 0: 0, column 16: 15
  CHECK(dequantized(DType::kQ4_0, q4_0)[0] == -8.0f);
  CHECK(dequantized(DType::kQ4_0, q4_0)[16] == 7.0f);

  auto q5_0 = unit_block(DType::kQ5_0, 0);
  q5_0[5] = std::byte{0x80};  // the fifth bit of column 31
  CHECK(dequantized(DType::kQ5_0, q5_0)[31] == 0.0f);
  CHECK(dequantized(DType::kQ5_0, q5_0)[30] == -16.0f);

  auto q8_0 = unit_block(DType::kQ8_0, 0);
  q8_0[2 + 7] = std::byte{0x80};
  CHECK(dequantized(DType::kQ8_0, q8_0)[7] == -128.0f);
  CHECK(dequantized(DType::kQ8_0, q8_0)[6] == 0.0f);

  auto q6_k = unit_block(DType::kQ6_K, 208);
  q6_k[192 + 15] = std::byte{0xff};  // the scale of the last 16 columns: -1
  CHECK(dequantized(DType::kQ6_K, q6_k)[255] == 32.0f);
  CHECK(dequantized(DType::kQ6_K, q6_k)[0] == 0.0f);

  auto iq4_nl = unit_block(DType::kIQ4_NL, 0);
  iq4_nl[2 + 3] = std::byte{0x1f};
  CHECK(dequantized(DType::kIQ4_NL, iq4_nl)[3] == 113.0f);
  CHECK(dequantized(DType::kIQ4_NL, iq4_nl)[19] == -104.0f);
}

TEST_CASE("dequantize: the float types, and a row that is not the first") {
  for (const DType type : {DType::kF32, DType::kF16, DType::kBF16}) {
    const auto bytes = random_weights(type, 3, 5, 1);
    float out[5];
    dequantize_row(type, bytes.data(), 5, 2, out);
    for (int i = 0; i < 5; ++i) {
      float value = 0;
      uint16_t half;
      if (type == DType::kF32) {
        std::memcpy(&value, bytes.data() + (10 + i) * 4, 4);
      } else {
        std::memcpy(&half, bytes.data() + (10 + i) * 2, 2);
        value = type == DType::kF16 ? f16_to_f32(half) : bf16_to_f32(half);
      }
      CHECK(out[i] == value);
    }
  }
  const auto bytes = random_weights(DType::kQ4_K, 4, 512, 2);
  std::vector<float> all(2048), one(512);
  for (int64_t r = 0; r < 4; ++r) dequantize_row(DType::kQ4_K, bytes.data(), 512, r, all.data() + r * 512);
  dequantize_columns(DType::kQ4_K, bytes.data() + 3 * dtype_bytes(DType::kQ4_K, 512), 256, 256, one.data());
  for (size_t i = 0; i < 256; ++i) CHECK(one[i] == all[3 * 512 + 256 + i]);
}
