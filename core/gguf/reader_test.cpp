#include "core/gguf/reader.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/fault_injection.h"
#include "core/base/temporary_folder.h"
#include "core/gguf/writer.h"

namespace ondol::gguf {
namespace {

using kernels::DType;

std::vector<std::byte> bytes_of(size_t count, int seed = 1) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::byte>((i * 31 + static_cast<size_t>(seed)) & 0xff);
  return bytes;
}

Writer small_model() {
  Writer writer;
  writer.add("general.architecture", "llama").add("llama.block_count", uint32_t{2});
  writer.add_tensor("a", DType::kF32, {8, 2}, bytes_of(64, 1));
  writer.add_tensor("b", DType::kQ8_0, {32, 3}, bytes_of(102, 2));
  writer.add_tensor("c", DType::kQ6_K, {256}, bytes_of(210, 3));
  return writer;
}

std::string written(const TemporaryFolder& folder, const std::string& name) {
  return folder.write(name, small_model().to_bytes());
}

TEST_CASE("reader: a file gives back names, types, shapes and bytes of its tensors, by order and by name") {
  const TemporaryFolder folder;
  const std::string path = written(folder, "m.gguf");
  const auto file = File::open(real_file_system(), path);
  REQUIRE(file);
  CHECK_EQ((*file)->path(), path);
  CHECK_EQ((*file)->bytes_total(), real_file_system().identity(path)->bytes);
  REQUIRE_EQ((*file)->tensors().size(), 3);
  const Tensor* b = (*file)->tensor("b");
  REQUIRE(b);
  CHECK_EQ(b, &(*file)->tensors()[1]);
  CHECK_EQ(b->type, DType::kQ8_0);
  CHECK_EQ(b->shape, std::vector<int64_t>{32, 3});
  CHECK_EQ(b->elements(), 96);
  CHECK(std::ranges::equal(b->bytes, bytes_of(102, 2)));
  for (const Tensor& tensor : (*file)->tensors())
    CHECK_EQ(reinterpret_cast<uintptr_t>(tensor.bytes.data()) % 32, 0);
  CHECK_EQ((*file)->tensor("d"), nullptr);
  CHECK_EQ((*file)->find("d"), nullptr);
  (*file)->will_need();
}

TEST_CASE("reader: a file of metadata alone, as for a tokenizer, is read") {
  Writer writer;
  writer.add("general.architecture", "llama");
  const std::string bytes = writer.to_bytes();
  const auto file = File::parse(std::as_bytes(std::span(bytes)), "m");
  REQUIRE(file);
  CHECK((*file)->tensors().empty());
}

TEST_CASE("reader: integers of every width, reals, bools, strings and arrays are read by the typed doors") {
  Writer writer;
  writer.add("u8", uint8_t{200}).add("i8", int8_t{-3}).add("u16", uint16_t{60000}).add("i16", int16_t{-300});
  writer.add("u32", uint32_t{4'000'000'000}).add("i32", int32_t{-70000}).add("u64", uint64_t{1} << 40);
  writer.add("i64", int64_t{-1} << 40).add("huge", ~uint64_t{0}).add("f32", 0.5F).add("f64", 0.1);
  writer.add("yes", true).add("text", "가 a").add("words", std::vector<std::string>{"x", "", "하늘"});
  writer.add("ints", std::vector<int32_t>{-1, 2}).add("bytes", std::vector<uint8_t>{0, 255});
  writer.add("floats", std::vector<float>{0.25F, -1}).add("hugs", std::vector<uint64_t>{1, ~uint64_t{0}});
  writer.add("flags", std::vector<bool>{true, false});
  const std::string bytes = writer.to_bytes();
  const auto parsed = File::parse(std::as_bytes(std::span(bytes)), "m.gguf");
  REQUIRE(parsed);
  const File& file = **parsed;
  CHECK_EQ(file.integer("u8").value(), 200);
  CHECK_EQ(file.integer("i8").value(), -3);
  CHECK_EQ(file.integer("u16").value(), 60000);
  CHECK_EQ(file.integer("i16").value(), -300);
  CHECK_EQ(file.integer("u32").value(), 4'000'000'000);
  CHECK_EQ(file.integer("i32").value(), -70000);
  CHECK_EQ(file.integer("u64").value(), int64_t{1} << 40);
  CHECK_EQ(file.integer("i64").value(), int64_t{-1} << 40);
  CHECK_EQ(file.real("f32").value(), 0.5);
  CHECK_EQ(file.real("f64").value(), 0.1);
  CHECK_EQ(file.real("i8").value(), -3.0);
  CHECK(file.boolean("yes").value());
  CHECK_EQ(file.string("text").value(), "가 a");
  CHECK_EQ(file.strings("words").value(), std::vector<std::string_view>{"x", "", "하늘"});
  CHECK_EQ(file.integers("ints").value(), std::vector<int64_t>{-1, 2});
  CHECK_EQ(file.integers("bytes").value(), std::vector<int64_t>{0, 255});
  CHECK_EQ(file.integers("flags").value(), std::vector<int64_t>{1, 0});
  CHECK_EQ(file.integers("u8").value(), std::vector<int64_t>{200});
  CHECK_EQ(file.reals("floats").value(), std::vector<double>{0.25, -1});
  CHECK_EQ(file.reals("ints").value(), std::vector<double>{-1, 2});
  CHECK_EQ(file.reals("f64").value(), std::vector<double>{0.1});
  CHECK_EQ(file.values().size(), 19);
  CHECK_EQ(file.values()[12].first, "text");
}

TEST_CASE(
    "reader: a missing key, a wrong type and a number that does not fit are told apart, with file and key") {
  Writer writer;
  writer.add("huge", ~uint64_t{0}).add("f", 0.5F).add("yes", true).add("text", "a");
  writer.add("hugs", std::vector<uint64_t>{~uint64_t{0}}).add("words", std::vector<std::string>{"x"});
  const std::string bytes = writer.to_bytes();
  const auto parsed = File::parse(std::as_bytes(std::span(bytes)), "m.gguf");
  REQUIRE(parsed);
  const File& file = **parsed;
  CHECK_EQ(file.integer("none").error().code, Code::kNotFound);
  CHECK_EQ(file.integer("none").error().where, "m.gguf: none");
  for (const Error& error :
       {file.integer("huge").error(), file.integer("f").error(), file.integer("yes").error(),
        file.integer("text").error(), file.real("text").error(), file.boolean("text").error(),
        file.string("yes").error(), file.integers("hugs").error(), file.integers("words").error(),
        file.reals("words").error(), file.strings("text").error(), file.integers("f").error()}) {
    CAPTURE(error.text());
    CHECK_EQ(error.code, Code::kInvalidArgument);
    CHECK_EQ(error.where.find("m.gguf: "), 0);
  }
  CHECK_EQ(file.strings("text").error().text(),
           "m.gguf: text: is of type string, but must be an array of strings");
}

TEST_CASE("reader: a vocabulary of 256 thousand strings is read in well under a second") {
  std::vector<std::string> tokens;
  for (int i = 0; i < 262144; ++i) tokens.push_back("token" + std::to_string(i));
  Writer writer;
  writer.add("tokenizer.ggml.tokens", tokens)
      .add("tokenizer.ggml.scores", std::vector<float>(tokens.size(), 1.0F));
  const std::string bytes = writer.to_bytes();
  const auto processor_ms = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
  };
  const auto begin_ms = processor_ms();
  const auto file = File::parse(std::as_bytes(std::span(bytes)), "m");
  const auto took_ms = processor_ms() - begin_ms;
  REQUIRE(file);
  const auto& held = std::get<std::vector<std::string_view>>((*file)->find("tokenizer.ggml.tokens")->data);
  CHECK_EQ(held[262143], "token262143");
  CHECK_GE(held[0].data(), bytes.data());  // a view, not a copy
  CHECK_LT(held[0].data(), bytes.data() + bytes.size());
  CHECK_LT(took_ms, 500);
}

TEST_CASE("X01: a good file cut at 10%, 50%, 99.9% and after the header is refused in words") {
  const TemporaryFolder folder;
  Writer writer = small_model();
  writer.add_tensor("large", DType::kF32, {1024, 64}, bytes_of(1024 * 64 * 4));
  const std::string path = folder.write("m.gguf", writer.to_bytes());
  const int64_t bytes = real_file_system().identity(path)->bytes;
  for (const int64_t length : {bytes / 10, bytes / 2, bytes * 999 / 1000, int64_t{24}}) {
    CAPTURE(length);
    FaultyFileSystem files(real_file_system());
    files.set(path, {.bytes_max = length});
    const auto file = File::open(files, path);
    REQUIRE_FALSE(file);
    CHECK_EQ(file.error().code, Code::kDataLoss);
    CHECK_EQ(file.error().where.find(path + ": "), 0);
    CHECK_NE(file.error().message.find(std::to_string(length)), std::string::npos);  // the real size
    if (length > 24)
      CHECK_NE(file.error().message.find("should have at least " + std::to_string(bytes) + " bytes"),
               std::string::npos);
  }
}

TEST_CASE("X01: a file that is still growing while it is opened is refused") {
  const TemporaryFolder folder;
  const std::string path = written(folder, "m.gguf");
  FaultyFileSystem files(real_file_system());
  const auto file = [&] {
    files.set(path,
              {.bytes_max = real_file_system().identity(path)->bytes - 1, .skip_count = 2});  // open, map
    return File::open(files, path);
  }();
  REQUIRE_FALSE(file);
  CHECK_EQ(file.error().code, Code::kDataLoss);
  CHECK_NE(file.error().message.find("still being copied"), std::string::npos);
}

TEST_CASE("reader: a missing file, a folder and a failing disk keep their own errors") {
  const TemporaryFolder folder;
  CHECK_EQ(File::open(real_file_system(), folder.path("none.gguf")).error().code, Code::kNotFound);
  CHECK_EQ(File::open(real_file_system(), folder.path()).error().code, Code::kInvalidArgument);
  const std::string path = written(folder, "m.gguf");
  FaultyFileSystem files(real_file_system());
  files.set(path, {.open_error = Error{Code::kIo, "input/output error", path}});
  CHECK_EQ(File::open(files, path).error().code, Code::kIo);
  files.set(path, {.map_error = Error{Code::kResourceExhausted, "no memory", path}});
  CHECK_EQ(File::open(files, path).error().code, Code::kResourceExhausted);
}

TEST_CASE("X03: a model opens from folders and names of any bytes, and through a link") {
  const TemporaryFolder folder;
  const std::string decomposed = "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab";  // 한 as three letters
  for (const std::string& name :
       {std::string("모델 폴더 (새)/한글 이름.gguf"), std::string("모델/") + decomposed + " NFD.gguf",
        std::string("a 'quote' \"double\" 100%s %n.gguf"), std::string(245, 'n') + ".gguf",
        std::string("bytes\xff\xfe.gguf"), std::string("no extension")}) {
    CAPTURE(name);
    const std::string path = written(folder, name);
    const auto file = File::open(real_file_system(), path);
    REQUIRE(file);
    CHECK_EQ((*file)->path(), path);
    CHECK((*file)->unchanged(real_file_system()));
  }
  REQUIRE_EQ(::symlink("no extension", folder.path("link.gguf").c_str()), 0);
  CHECK(File::open(real_file_system(), folder.path("link.gguf")));
}

TEST_CASE("X03: an error about a model with a Korean name shows the name as it is") {
  const TemporaryFolder folder;
  const std::string path = folder.write("한글 이름.gguf", "<html>");
  CHECK_NE(File::open(real_file_system(), path).error().text().find("한글 이름.gguf: magic at offset 0"),
           std::string::npos);
}

TEST_CASE("X04: a model that is cut, overwritten, replaced or taken away is noticed") {
  const TemporaryFolder folder;
  FileSystem& files = real_file_system();
  const std::string path = folder.path("m.gguf");
  const auto opened = [&] {
    written(folder, "m.gguf");
    auto file = File::open(files, path);
    REQUIRE(file);
    CHECK((*file)->unchanged(files));
    return std::move(file).value();
  };
  {
    const auto file = opened();
    REQUIRE_EQ(::truncate(path.c_str(), 100), 0);
    CHECK_FALSE(file->unchanged(files));
  }
  {
    const auto file = opened();
    struct timespec later[2] = {{0, UTIME_OMIT}, {2'000'000'000, 0}};
    REQUIRE_EQ(::utimensat(AT_FDCWD, path.c_str(), later, 0), 0);  // as after a write of the same length
    CHECK_FALSE(file->unchanged(files));
  }
  {
    const auto file = opened();
    written(folder, "other.gguf");
    std::filesystem::rename(folder.path("other.gguf"), path);
    CHECK_FALSE(file->unchanged(files));
    CHECK(std::ranges::equal(file->tensor("b")->bytes, bytes_of(102, 2)));  // the old content is still there
  }
  {
    const auto file = opened();
    REQUIRE_EQ(::unlink(path.c_str()), 0);
    CHECK_FALSE(file->unchanged(files));
  }
}

}  // namespace
}  // namespace ondol::gguf
