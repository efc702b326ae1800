// Crafted and damaged files: each is refused with file, field and offset, before anything large is allocated.
#include <doctest/doctest.h>

#include <vector>

#include "core/gguf/crafted_file.h"
#include "core/gguf/reader.h"
#include "core/gguf/writer.h"

namespace ondol::gguf {
namespace {

constexpr uint64_t kHuge = uint64_t{1} << 63;
constexpr uint32_t kString = 8;

// The bytes are copied to a block of exactly their size, so that a sanitizer sees any read beyond it.
Result<std::unique_ptr<File>> parse(std::string_view text) {
  const std::vector<char> exact(text.begin(), text.end());
  return File::parse(std::as_bytes(std::span(exact)), "model.gguf");
}

// Expects an error of `code` about a place that contains `where` and in words that contain `message`.
void refused(const CraftedFile& file, Code code, std::string_view where, std::string_view message) {
  const auto result = parse(file.bytes);
  REQUIRE_FALSE(result);
  const Error& error = result.error();
  CAPTURE(error.text());
  CHECK_EQ(error.code, code);
  CHECK_EQ(error.where.find("model.gguf: "), 0);
  CHECK_NE(error.where.find(" at offset "), std::string::npos);
  CHECK_NE(error.where.find(where), std::string::npos);
  CHECK_NE(error.message.find(message), std::string::npos);
}

CraftedFile crafted() { return {}; }

TEST_CASE("B60: the smallest possible file, without anything in it, is read") {
  CHECK(parse(crafted().header(0, 0).bytes));
  CHECK(parse(crafted().header(0, 0, 2).bytes));
}

TEST_CASE("B60: version 0 is refused") {
  refused(crafted().header(0, 0, 0), Code::kUnsupported, "version at offset 4", "version 0 is not known");
}
TEST_CASE("B60: version 1 is refused with advice") {
  refused(crafted().header(0, 0, 1), Code::kUnsupported, "version at offset 4", "version 1 of August 2023");
}
TEST_CASE("B60: version 99 is refused") {
  refused(crafted().header(0, 0, 99), Code::kUnsupported, "version at offset 4", "version 99 is not known");
}
TEST_CASE("B60: a big-endian file is named as such") {
  refused(crafted().header(0, 0, 0x03000000), Code::kUnsupported, "version", "big-endian");
  CraftedFile turned;
  turned.bytes = "FUGG" + crafted().header(0, 0).bytes.substr(4);
  refused(turned, Code::kInvalidArgument, "magic at offset 0", "big-endian");
}

TEST_CASE("B60: a tensor count of 2^63 is refused") {
  refused(crafted().header(kHuge, 0), Code::kInvalidArgument, "tensor count at offset 8",
          "9223372036854775808");
}
TEST_CASE("B60: a metadata count of 2^63 is refused") {
  refused(crafted().header(0, kHuge), Code::kInvalidArgument, "metadata count at offset 16",
          "9223372036854775808");
}
TEST_CASE("B60: counts of 2^64-1 are refused") {
  refused(crafted().header(~uint64_t{0}, ~uint64_t{0}), Code::kInvalidArgument, "tensor count", "at most");
}
TEST_CASE("B60: a tensor count that the file is too short for is refused before any tensor is read") {
  refused(crafted().header(1000, 0).tensor("a", {8}).data(32), Code::kDataLoss, "tensor count",
          "takes at least");
}
TEST_CASE("B60: a metadata count that the file is too short for is refused before any value is read") {
  refused(crafted().header(0, 1000).key("k", ValueType::kUint8).put(uint8_t{1}), Code::kDataLoss,
          "metadata count", "takes at least");
}

TEST_CASE("B60: an empty key is refused") {
  refused(crafted().header(0, 1).key("", ValueType::kUint64).put(uint64_t{1}), Code::kInvalidArgument,
          "key of metadata entry 1 of 1 at offset 24", "is empty");
}
TEST_CASE("B60: a key of 2^63 bytes is refused") {
  refused(crafted().header(0, 1).put(kHuge).put(uint64_t{0}), Code::kDataLoss, "key of metadata entry 1",
          "9223372036854775808");
}
TEST_CASE("B60: a key of 65536 bytes is refused, one of 65535 is read") {
  refused(crafted().header(0, 1).key(std::string(65536, 'k'), ValueType::kUint8).put(uint8_t{1}),
          Code::kInvalidArgument, "key of metadata entry 1", "longer than 65535");
  CHECK(parse(crafted().header(0, 1).key(std::string(65535, 'k'), ValueType::kUint8).put(uint8_t{1}).bytes));
}
TEST_CASE("B60: a value type that does not exist is refused") {
  refused(crafted().header(0, 1).text("k").put(uint32_t{13}).put(uint64_t{0}), Code::kInvalidArgument,
          "value of \"k\"", "value type 13");
  refused(crafted().header(0, 1).text("k").put(~uint32_t{0}).put(uint64_t{0}), Code::kInvalidArgument,
          "value of \"k\"", "value type 4294967295");
}
TEST_CASE("B60: a bool that is neither 0 nor 1 is refused") {
  refused(crafted().header(0, 1).key("k", ValueType::kBool).put(uint8_t{2}), Code::kInvalidArgument,
          "value of \"k\" at offset 37", "is 2, not a bool");
}
TEST_CASE("B60: a string of 2^63 bytes is refused") {
  refused(crafted().header(0, 1).key("k", ValueType::kString).put(kHuge), Code::kDataLoss,
          "value of \"k\" at offset", "needs at least 9223372036854775808 bytes");
}
TEST_CASE("B60: a string one byte longer than the file is refused") {
  refused(crafted().header(0, 1).key("k", ValueType::kString).put(uint64_t{4}).put('a').put('b').put('c'),
          Code::kDataLoss, "value of \"k\"", "needs at least 4 bytes, but the file ends after 3 more");
}

TEST_CASE("B60: an array of arrays is refused") {
  refused(crafted().header(0, 1).array("k", 9, 1).put(uint32_t{4}).put(uint64_t{0}), Code::kUnsupported,
          "value of \"k\"", "array of arrays");
}
TEST_CASE("B60: an array of an element type that does not exist is refused") {
  refused(crafted().header(0, 1).array("k", 77, 0), Code::kInvalidArgument, "value of \"k\"",
          "element type 77");
}
TEST_CASE("B60: an array of 2^63 numbers is refused") {
  for (const uint32_t type : {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12}) {
    CAPTURE(type);
    refused(crafted().header(0, 1).array("k", type, kHuge), Code::kInvalidArgument,
            "array length of value of \"k\"", "at most 16777216");
  }
}
TEST_CASE("B60: an array one element longer than the file is refused") {
  refused(crafted().header(0, 1).array("k", 4, 3).put(1U).put(2U), Code::kDataLoss,
          "array length of value of \"k\"", "takes at least 12 bytes, but only 8 are left");
}
TEST_CASE("B60: an array of more strings than the file can hold is refused before room is made") {
  refused(crafted().header(0, 1).array("k", kString, 1U << 24), Code::kDataLoss, "array length",
          "takes at least 134217728 bytes");
}
TEST_CASE("B60: a string of 2^63 bytes inside an array is refused with its index") {
  refused(crafted().header(0, 1).array("k", kString, 2).text("a").put(kHuge), Code::kDataLoss,
          "element 1 of value of \"k\"", "9223372036854775808");
}
TEST_CASE("B60: a string that takes the place of its array's next length is refused") {
  refused(crafted().header(0, 1).array("k", kString, 2).text("abcdefgh"), Code::kDataLoss, "element 1",
          "needs");
}
TEST_CASE("B60: a bad bool inside an array is refused with its index") {
  refused(crafted().header(0, 1).array("k", 7, 2).put(uint8_t{1}).put(uint8_t{255}), Code::kInvalidArgument,
          "value of \"k\"", "element 1 is not a bool");
}
TEST_CASE("B60: an empty array is an empty array") {
  const CraftedFile file = crafted().header(0, 1).array("k", 4, 0);
  const auto read = File::parse(file.view(), "model.gguf");
  REQUIRE(read);
  CHECK((*read)->integers("k").value().empty());
}

TEST_CASE("B60: alignment 0 is refused") {
  refused(crafted().header(0, 1).key("general.alignment", ValueType::kUint32).put(0U), Code::kInvalidArgument,
          "\"general.alignment\" at offset 24", "is 0; it must be a power of two");
}
TEST_CASE("B60: alignment 3 is refused") {
  refused(crafted().header(0, 1).key("general.alignment", ValueType::kUint32).put(3U), Code::kInvalidArgument,
          "\"general.alignment\"", "is 3; it must be a power of two");
}
TEST_CASE("B60: alignment 48, a multiple of 8 but no power of two, is refused") {
  refused(crafted().header(0, 1).key("general.alignment", ValueType::kUint32).put(48U),
          Code::kInvalidArgument, "\"general.alignment\"", "is 48");
}
TEST_CASE("B60: alignment of another type is refused") {
  refused(crafted().header(0, 1).key("general.alignment", ValueType::kUint64).put(uint64_t{32}),
          Code::kInvalidArgument, "\"general.alignment\"", "wrong type");
  refused(crafted().header(0, 1).key("general.alignment", ValueType::kString).text("32"),
          Code::kInvalidArgument, "\"general.alignment\"", "wrong type");
}
TEST_CASE("B60: alignment 2^31 only moves the data beyond the file") {
  refused(crafted()
              .header(1, 1)
              .key("general.alignment", ValueType::kUint32)
              .put(uint32_t{1} << 31)
              .tensor("a", {8})
              .data(32),
          Code::kDataLoss, "data of tensor \"a\"", "at least 2147483680 bytes");
}

TEST_CASE("B60: a tensor without a name is refused") {
  refused(crafted().header(1, 0).tensor("", {8}).data(32), Code::kInvalidArgument, "name of tensor 1 of 1",
          "is empty");
}
TEST_CASE("B60: a tensor name of 2^63 bytes is refused") {
  refused(crafted().header(1, 0).put(kHuge).data(64), Code::kDataLoss, "name of tensor 1 of 1",
          "needs at least");
}
TEST_CASE("B60: a tensor of no dimensions is refused") {
  refused(crafted().header(1, 0).tensor("a", {}).data(32), Code::kInvalidArgument,
          "dimension count of tensor \"a\"", "is 0");
}
TEST_CASE("B60: a tensor of five dimensions is refused") {
  refused(crafted().header(1, 0).tensor("a", {1, 1, 1, 1, 1}).data(32), Code::kInvalidArgument,
          "dimension count of tensor \"a\" at offset 33", "is 5; a tensor has 1 to 4");
}
TEST_CASE("B60: a tensor of nine dimensions is refused") {
  refused(crafted().header(1, 0).tensor("a", std::vector<uint64_t>(9, 1)).data(32), Code::kInvalidArgument,
          "dimension count of tensor \"a\"", "is 9");
}
TEST_CASE("B60: a tensor of 2^32-1 dimensions is refused") {
  refused(crafted().header(1, 0).text("a").put(~uint32_t{0}).data(64), Code::kInvalidArgument,
          "dimension count", "is 4294967295");
}
TEST_CASE("B60: a dimension of zero is refused, wherever it stands") {
  refused(crafted().header(1, 0).tensor("a", {0}).data(32), Code::kInvalidArgument,
          "dimension 0 of tensor \"a\" at offset 37", "is zero");
  refused(crafted().header(1, 0).tensor("a", {8, 4, 0}).data(32), Code::kInvalidArgument,
          "dimension 2 of tensor \"a\"", "is zero");
}
TEST_CASE("B60: a dimension of 2^63 or more is refused") {
  refused(crafted().header(1, 0).tensor("a", {kHuge}).data(32), Code::kInvalidArgument, "dimension 0",
          "more elements than can be");
  refused(crafted().header(1, 0).tensor("a", {~uint64_t{0}}).data(32), Code::kInvalidArgument, "dimension 0",
          "more elements than can be");
}
TEST_CASE(
    "B60: dimensions whose product passes 2^64 are refused, also when it comes round to a small number") {
  const uint64_t crafted_length = (uint64_t{1} << 42) + 1;
  refused(crafted().header(1, 0).tensor("a", {crafted_length, crafted_length}).data(32),
          Code::kInvalidArgument, "dimension 1 of tensor \"a\"", "more elements than can be");
  refused(crafted().header(1, 0).tensor("a", {uint64_t{1} << 32, uint64_t{1} << 32}).data(32),
          Code::kInvalidArgument, "dimension 1", "more elements than can be");
}
TEST_CASE("B60: elements that can be counted but whose bytes cannot are refused") {
  refused(crafted().header(1, 0).tensor("a", {uint64_t{1} << 62}).data(32), Code::kInvalidArgument,
          "tensor \"a\"", "more bytes than can be");
}
TEST_CASE("B60: a tensor type that does not exist is refused") {
  refused(crafted().header(1, 0).tensor("a", {8}, 250).data(32), Code::kUnsupported, "type of tensor \"a\"",
          "the number 250, which is not known");
  refused(crafted().header(1, 0).tensor("a", {8}, ~uint32_t{0}).data(32), Code::kUnsupported,
          "type of tensor \"a\"", "not known");
}
TEST_CASE("B60: a tensor type that exists elsewhere is refused by its name") {
  refused(crafted().header(1, 0).tensor("a", {256}, 16).data(256), Code::kUnsupported, "type of tensor \"a\"",
          "IQ2_XXS");
}
TEST_CASE("B60: a row that is not a whole number of blocks is refused") {
  refused(crafted().header(1, 0).tensor("a", {100, 2}, 12).data(1024), Code::kInvalidArgument, "tensor \"a\"",
          "rows of 100 elements, not a whole number of Q4_K blocks of 256");
  refused(crafted().header(1, 0).tensor("a", {16, 2}, 8).data(1024), Code::kInvalidArgument, "tensor \"a\"",
          "Q8_0");
}
TEST_CASE("B60: a data offset that is not aligned is refused") {
  refused(crafted().header(1, 0).tensor("a", {8}, 0, 4).data(64), Code::kInvalidArgument,
          "data offset of tensor \"a\"", "not a multiple of the alignment 32");
}
TEST_CASE("B60: a data offset near 2^64 is refused") {
  refused(crafted().header(1, 0).tensor("a", {8}, 0, ~uint64_t{31}).data(64), Code::kInvalidArgument,
          "data of tensor \"a\"", "beyond any file");
  refused(crafted().header(1, 0).tensor("a", {8}, 0, kHuge - 32).data(64), Code::kInvalidArgument,
          "data of tensor \"a\"", "beyond any file");
}
TEST_CASE("B60: a data offset outside the file is refused with the expected and the real size") {
  refused(crafted().header(1, 0).tensor("a", {8}, 0, 1 << 20).data(64), Code::kDataLoss,
          "data of tensor \"a\"", "the file should have at least 1048672 bytes, but it has 128");
}
TEST_CASE("B60: tensors that share bytes are refused, in whichever order they come") {
  refused(crafted().header(2, 0).tensor("a", {16}).tensor("b", {8}, 0, 32).data(64), Code::kInvalidArgument,
          "data of tensor \"b\"", "inside the data of tensor \"a\"");
  refused(crafted().header(2, 0).tensor("b", {8}, 0, 32).tensor("a", {16}).data(64), Code::kInvalidArgument,
          "data of tensor \"b\"", "inside the data of tensor \"a\"");
  refused(crafted().header(2, 0).tensor("a", {8}).tensor("b", {8}).data(64), Code::kInvalidArgument,
          "data of tensor", "inside the data of tensor");
}
TEST_CASE("B60: tensors in any order and with gaps between them are read") {
  CHECK(parse(crafted().header(2, 0).tensor("b", {8}, 0, 96).tensor("a", {8}).data(128).bytes));
}
TEST_CASE("B60: control characters of a name do not reach the message, and a long name is shortened") {
  const auto result =
      parse(crafted().header(1, 0).tensor("evil\n\x1b[2J" + std::string(500, 'x'), {0}).bytes);
  REQUIRE_FALSE(result);
  const std::string text = result.error().text();
  CHECK_NE(text.find("\"evil??[2J"), std::string::npos);
  CHECK_LT(text.size(), 250);
}

TEST_CASE(
    "X01: an empty file, zeros, a web page and other things saved as .gguf are named as what they are") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "empty"},
      {std::string(1000, '\0'), "zeros"},
      {"<!DOCTYPE html><html><body>Not found</body></html>", "web page"},
      {"\xef\xbb\xbf \n<html>", "web page"},
      {"{\"error\": \"unauthorized\"}", "JSON"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "Git LFS pointer"},
      {"PK\x03\x04 archive", "zip"},
      {"\x1f\x8b\x08 gz", "compressed"},
      {std::string("\x10\0\0\0\0\0\0\0{\"__metadata__\":{}}", 27), "safetensors"},
      {"tjgg old", "GGML file of 2023"},
      {"GG", "cut inside the first four bytes"},
      {"some text", "does not begin with the letters GGUF"},
  };
  for (const auto& [content, expected] : cases) {
    CraftedFile file;
    file.bytes = content;
    refused(file, Code::kInvalidArgument, "magic at offset 0", expected);
  }
}

// A file with a value of every kind and tensors of several types.
std::string good_file() {
  Writer writer;
  const std::vector<std::byte> data(4096, std::byte{7});
  const auto bytes = [&](size_t count) { return std::span(data).first(count); };
  writer.add("general.architecture", "llama").add("u8", uint8_t{1}).add("i64", int64_t{-1}).add("f32", 1.5F);
  writer.add("yes", true)
      .add("numbers", std::vector<uint32_t>{1, 2, 3})
      .add("floats", std::vector<float>{1, 2});
  writer.add("tokens", std::vector<std::string>{"a", "", "가나다"}).add("flags", std::vector<uint8_t>{1, 0});
  writer.add_tensor("a", kernels::DType::kF32, {8, 2}, bytes(64));
  writer.add_tensor("b", kernels::DType::kQ8_0, {32, 3}, bytes(102));
  writer.add_tensor("c", kernels::DType::kQ4_K, {256}, bytes(144));
  return writer.to_bytes();
}

TEST_CASE("X01: a good file cut at any byte is refused, and its last needed byte is what makes it good") {
  const std::string good = good_file();
  const auto whole = File::parse(std::as_bytes(std::span(good)), "model.gguf");
  REQUIRE(whole);
  const auto last = (*whole)->tensors().back().bytes;
  const size_t needed =
      static_cast<size_t>(reinterpret_cast<const char*>(last.data()) + last.size() - good.data());
  CHECK_LT(needed, good.size());  // padding follows
  for (size_t length = 0; length <= good.size(); ++length) {
    CAPTURE(length);
    const auto result = parse(std::string_view(good).substr(0, length));
    REQUIRE_EQ(result.has_value(), length >= needed);
    if (length >= 4 && length < needed) {
      REQUIRE_EQ(result.error().code, Code::kDataLoss);
      REQUIRE_NE(result.error().message.find(" it is cut "), std::string::npos);
    }
  }
}

TEST_CASE("B60: a good file with any one byte changed is read or refused, never more") {
  const std::string good = good_file();
  int read = 0;
  for (size_t place = 0; place < good.size(); ++place) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string damaged = good;
      damaged[place] = static_cast<char>(damaged[place] ^ change);
      read += parse(damaged).has_value();
    }
  }
  CHECK_GT(read, 0);  // tensor data is not checked here
}

TEST_CASE("X02: a key that is there twice is refused with its name") {
  refused(crafted()
              .header(0, 2)
              .key("general.name", ValueType::kUint32)
              .put(1U)
              .key("general.name", ValueType::kUint32)
              .put(1U),
          Code::kInvalidArgument, "key \"general.name\" at offset 52", "is there twice");
}
TEST_CASE("X02: a tensor that is there twice is refused with its name") {
  refused(crafted()
              .header(2, 0)
              .tensor("blk.0.attn_q.weight", {8})
              .tensor("blk.0.attn_q.weight", {8}, 0, 32)
              .data(64),
          Code::kInvalidArgument, "tensor \"blk.0.attn_q.weight\" at offset", "is there twice");
}

}  // namespace
}  // namespace ondol::gguf
