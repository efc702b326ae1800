#include "core/gguf/writer.h"

#include <doctest/doctest.h>

#include <limits>

#include "core/base/temporary_folder.h"

namespace ondol::gguf {
namespace {

using kernels::DType;

Writer everything(uint32_t version, uint32_t alignment) {
  Writer writer(version, alignment);
  writer.add("u8", uint8_t{255})
      .add("i8", int8_t{-128})
      .add("u16", uint16_t{65535})
      .add("i16", int16_t{-32768});
  writer.add("u32", ~uint32_t{0}).add("i32", std::numeric_limits<int32_t>::min()).add("u64", ~uint64_t{0});
  writer.add("i64", std::numeric_limits<int64_t>::min())
      .add("f32", 1.0F / 3)
      .add("f64", 1.0 / 3)
      .add("no", false);
  writer.add("text", "온돌").add("a.u8", std::vector<uint8_t>{0, 255}).add("a.i8", std::vector<int8_t>{-1});
  writer.add("a.u16", std::vector<uint16_t>{65535}).add("a.i16", std::vector<int16_t>{-2});
  writer.add("a.u32", std::vector<uint32_t>{7, 8}).add("a.i32", std::vector<int32_t>{-7});
  writer.add("a.u64", std::vector<uint64_t>{~uint64_t{0}}).add("a.i64", std::vector<int64_t>{-9});
  writer.add("a.f32", std::vector<float>{0.5F}).add("a.f64", std::vector<double>{0.1});
  writer.add("a.bool", std::vector<bool>{true, false, true})
      .add("a.text", std::vector<std::string>{"", "가"});
  const std::vector<std::byte> bytes(1000, std::byte{3});
  writer.add_tensor("first", DType::kBF16, {3}, std::span(bytes).first(6));
  writer.add_tensor("second", DType::kQ4_0, {64, 2, 3, 1}, std::span(bytes).first(216));
  return writer;
}

TEST_CASE("writer: what it writes is read, in both versions and with other alignments") {
  for (const uint32_t version : {2U, 3U}) {
    for (const uint32_t alignment : {8U, 32U, 64U, 4096U}) {
      CAPTURE(version);
      CAPTURE(alignment);
      const std::string bytes = everything(version, alignment).to_bytes();
      CHECK_EQ(bytes.size() % alignment, 0);
      const auto file = File::parse(std::as_bytes(std::span(bytes)), "m");
      REQUIRE(file);
      const Tensor* second = (*file)->tensor("second");
      REQUIRE(second);
      CHECK_EQ(second->shape, std::vector<int64_t>{64, 2, 3, 1});
      CHECK_EQ((reinterpret_cast<const char*>(second->bytes.data()) - bytes.data()) % alignment, 0);
      CHECK_EQ((*file)->has("general.alignment"), alignment != 32);
    }
  }
}

TEST_CASE("writer: values of a file written again give the same bytes") {
  const std::string bytes = everything(3, 64).to_bytes();
  const auto file = File::parse(std::as_bytes(std::span(bytes)), "m");
  REQUIRE(file);
  Writer copy(3, 64);
  for (const auto& [key, value] : (*file)->values()) {
    if (key != "general.alignment") copy.add(key, value);
  }
  for (const Tensor& tensor : (*file)->tensors())
    copy.add_tensor(tensor.name, tensor.type, tensor.shape, tensor.bytes);
  CHECK(copy.to_bytes() == bytes);
}

TEST_CASE("writer: the bytes of a small file are those of the format page") {
  Writer writer;
  writer.add("k", uint16_t{0x1234});
  const float one = 1;
  writer.add_tensor("t", DType::kF32, {1}, std::as_bytes(std::span(&one, 1)));
  std::string expected("GGUF\x03\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0", 24);
  expected += std::string("\x01\0\0\0\0\0\0\0k\x02\0\0\0\x34\x12", 15);
  expected += std::string("\x01\0\0\0\0\0\0\0t\x01\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 33);
  expected.resize(96);
  expected += std::string("\0\0\x80\x3f", 4);
  expected.resize(128);
  CHECK(writer.to_bytes() == expected);
}

TEST_CASE("writer: a file on the disk is the same as in memory") {
  const TemporaryFolder folder;
  const Writer writer = everything(3, 32);
  REQUIRE(writer.write(real_file_system(), folder.path("m.gguf")));
  CHECK(read_text(real_file_system(), folder.path("m.gguf"), 1 << 20).value() == writer.to_bytes());
  CHECK_EQ(writer.write(real_file_system(), folder.path("no/m.gguf")).error().code, Code::kNotFound);
}

}  // namespace
}  // namespace ondol::gguf
