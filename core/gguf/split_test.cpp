// Models in several files.
#include <doctest/doctest.h>

#include <filesystem>

#include "core/base/temporary_folder.h"
#include "core/gguf/reader.h"
#include "core/gguf/writer.h"

namespace ondol::gguf {
namespace {

using kernels::DType;

std::vector<std::byte> row(int seed) { return std::vector<std::byte>(32, static_cast<std::byte>(seed)); }

Writer model(int tensors) {
  Writer writer;
  writer.add("general.architecture", "llama");
  for (int i = 0; i < tensors; ++i)
    writer.add_tensor("blk." + std::to_string(i) + ".weight", DType::kF32, {8}, row(i + 1));
  return writer;
}

std::string part_bytes(uint16_t index, uint16_t parts, int32_t tensor_count, const std::string& tensor) {
  Writer writer;
  writer.add("split.no", index).add("split.count", parts).add("split.tensors.count", tensor_count);
  writer.add_tensor(tensor, DType::kF32, {8}, row(1));
  return writer.to_bytes();
}

TEST_CASE("split: all parts are found beside the first one and their tensors are one list") {
  const TemporaryFolder folder;
  const auto paths = model(5).write_split(real_file_system(), folder.path("모델 (새)"), 2);
  REQUIRE(paths);
  REQUIRE_EQ(paths->size(), 3);
  CHECK_EQ((*paths)[0], folder.path("모델 (새)-00001-of-00003.gguf"));
  const auto file = File::open(real_file_system(), (*paths)[0]);
  REQUIRE(file);
  REQUIRE_EQ((*file)->tensors().size(), 5);
  int64_t bytes = 0;
  for (const std::string& path : *paths) bytes += real_file_system().identity(path)->bytes;
  CHECK_EQ((*file)->bytes_total(), bytes);
  for (int i = 0; i < 5; ++i)
    CHECK(std::ranges::equal((*file)->tensor("blk." + std::to_string(i) + ".weight")->bytes, row(i + 1)));
  CHECK_EQ((*file)->string("general.architecture").value(), "llama");
  CHECK((*file)->unchanged(real_file_system()));
  std::filesystem::resize_file((*paths)[2], 40);
  CHECK_FALSE((*file)->unchanged(real_file_system()));
}

TEST_CASE("X01: a missing part is named") {
  const TemporaryFolder folder;
  const auto paths = model(5).write_split(real_file_system(), folder.path("m"), 2);
  REQUIRE(paths);
  std::filesystem::remove((*paths)[1]);
  const auto file = File::open(real_file_system(), (*paths)[0]);
  REQUIRE_FALSE(file);
  CHECK_EQ(file.error().code, Code::kNotFound);
  CHECK_EQ(file.error().where, (*paths)[0]);
  CHECK_NE(file.error().message.find("part 2 of 3 is missing: m-00002-of-00003.gguf"), std::string::npos);
}

TEST_CASE("X01: a cut part is named") {
  const TemporaryFolder folder;
  const auto paths = model(5).write_split(real_file_system(), folder.path("m"), 2);
  REQUIRE(paths);
  std::filesystem::resize_file((*paths)[2], std::filesystem::file_size((*paths)[2]) - 1);
  const auto file = File::open(real_file_system(), (*paths)[0]);
  REQUIRE_FALSE(file);
  CHECK_EQ(file.error().code, Code::kDataLoss);
  CHECK_EQ(file.error().where.find((*paths)[2]), 0);
}

TEST_CASE("split: opening a later part says which one to open") {
  const TemporaryFolder folder;
  const auto paths = model(5).write_split(real_file_system(), folder.path("m"), 2);
  REQUIRE(paths);
  const auto file = File::open(real_file_system(), (*paths)[1]);
  REQUIRE_FALSE(file);
  CHECK_EQ(file.error().code, Code::kInvalidArgument);
  CHECK_NE(file.error().message.find("part 2 of 3; open the first one, m-00001-of-00003.gguf"),
           std::string::npos);
}

TEST_CASE("split: a renamed first part says what its name must end with") {
  const TemporaryFolder folder;
  const auto paths = model(5).write_split(real_file_system(), folder.path("m"), 2);
  REQUIRE(paths);
  std::filesystem::rename((*paths)[0], folder.path("renamed.gguf"));
  const auto file = File::open(real_file_system(), folder.path("renamed.gguf"));
  REQUIRE_FALSE(file);
  CHECK_NE(file.error().message.find("-00001-of-00003.gguf"), std::string::npos);
}

TEST_CASE("split: parts that got each other's names are refused") {
  const TemporaryFolder folder;
  const auto paths = model(5).write_split(real_file_system(), folder.path("m"), 2);
  REQUIRE(paths);
  std::filesystem::copy_file((*paths)[2], (*paths)[1], std::filesystem::copy_options::overwrite_existing);
  const auto file = File::open(real_file_system(), (*paths)[0]);
  REQUIRE_FALSE(file);
  CHECK_NE(file.error().message.find("is named part 2 of 3, but says that it is part 3"), std::string::npos);
}

TEST_CASE("split: parts of different models, whose tensors do not add up, are refused with both numbers") {
  const TemporaryFolder folder;
  const std::string path = folder.write("m-00001-of-00002.gguf", part_bytes(0, 2, 7, "a"));
  folder.write("m-00002-of-00002.gguf", part_bytes(1, 2, 7, "b"));
  const auto file = File::open(real_file_system(), path);
  REQUIRE_FALSE(file);
  CHECK_EQ(file.error().code, Code::kDataLoss);
  CHECK_NE(file.error().message.find("2 tensors together, but 7 are expected"), std::string::npos);
}

TEST_CASE("X02: the same tensor in two parts is refused with its name") {
  const TemporaryFolder folder;
  const std::string path = folder.write("m-00001-of-00002.gguf", part_bytes(0, 2, 2, "blk.0.weight"));
  folder.write("m-00002-of-00002.gguf", part_bytes(1, 2, 2, "blk.0.weight"));
  const auto file = File::open(real_file_system(), path);
  REQUIRE_FALSE(file);
  CHECK_EQ(file.error().code, Code::kInvalidArgument);
  CHECK_NE(file.error().text().find("m-00002-of-00002.gguf: tensor \"blk.0.weight\": is there twice"),
           std::string::npos);
}

TEST_CASE("split: senseless split numbers are refused, a split of one is a file like others") {
  const TemporaryFolder folder;
  Writer words;
  words.add("split.count", "three");
  CHECK_EQ(File::open(real_file_system(), folder.write("w.gguf", words.to_bytes())).error().code,
           Code::kInvalidArgument);
  Writer negative;
  negative.add("split.count", int32_t{-3});
  CHECK_EQ(File::open(real_file_system(), folder.write("n.gguf", negative.to_bytes())).error().code,
           Code::kInvalidArgument);
  Writer huge;
  huge.add("split.count", ~uint64_t{0});
  CHECK_EQ(File::open(real_file_system(), folder.write("h.gguf", huge.to_bytes())).error().code,
           Code::kInvalidArgument);
  CHECK_EQ(File::open(real_file_system(), folder.write("i.gguf", part_bytes(5, 3, 1, "a"))).error().code,
           Code::kInvalidArgument);
  CHECK(File::open(real_file_system(), folder.write("o.gguf", part_bytes(0, 1, 1, "a"))));
}

}  // namespace
}  // namespace ondol::gguf
