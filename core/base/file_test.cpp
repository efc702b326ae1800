#include "core/base/file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/fault_injection.h"
#include "core/base/temporary_folder.h"

namespace ondol {
namespace {

std::string text_of(std::span<const std::byte> bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::string read(const std::string& path) {
  return read_text(real_file_system(), path, 1 << 20).value_or("?");
}

Result<void> write(const std::string& path, const std::string& content) {
  return real_file_system().write_atomically(path, std::as_bytes(std::span(content)));
}

TEST_CASE("file: what was written is read back, in parts, mapped and whole") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "0123456789");
  auto file = real_file_system().open(path);
  REQUIRE(file);
  CHECK_EQ((*file)->bytes(), 10);
  std::string part(4, ' ');
  REQUIRE((*file)->read_at(3, std::as_writable_bytes(std::span(part))));
  CHECK_EQ(part, "3456");
  auto mapped = (*file)->map();
  REQUIRE(mapped);
  CHECK_EQ(text_of(*mapped), "0123456789");
  CHECK_EQ(read(path), "0123456789");
}

TEST_CASE("file: a read past the end is data loss and says where the file ends") {
  const TemporaryFolder folder;
  auto file = real_file_system().open(folder.write("a", "0123456789"));
  REQUIRE(file);
  std::string part(8, ' ');
  const auto result = (*file)->read_at(5, std::as_writable_bytes(std::span(part)));
  REQUIRE_FALSE(result);
  CHECK_EQ(result.error().code, Code::kDataLoss);
  CHECK_NE(result.error().message.find("byte 10"), std::string::npos);
  CHECK_EQ((*file)->read_some(5, std::as_writable_bytes(std::span(part))).value_or(-1), 5);
  CHECK_EQ((*file)->read_some(10, std::as_writable_bytes(std::span(part))).value_or(-1), 0);
}

TEST_CASE("file: an empty file maps to no bytes") {
  const TemporaryFolder folder;
  auto file = real_file_system().open(folder.write("a", ""));
  REQUIRE(file);
  auto mapped = (*file)->map();
  REQUIRE(mapped);
  CHECK(mapped->empty());
}

TEST_CASE("file: a missing file, a folder and a pipe are told apart, and none of them hangs") {
  const TemporaryFolder folder;
  const auto missing = real_file_system().open(folder.path("nothing"));
  REQUIRE_FALSE(missing);
  CHECK_EQ(missing.error().code, Code::kNotFound);
  CHECK_EQ(missing.error().where, folder.path("nothing"));
  const auto opened_folder = real_file_system().open(folder.path());
  REQUIRE_FALSE(opened_folder);
  CHECK_EQ(opened_folder.error().code, Code::kInvalidArgument);
  REQUIRE_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  const auto pipe = real_file_system().open(folder.path("pipe"));
  REQUIRE_FALSE(pipe);
  CHECK_EQ(pipe.error().code, Code::kInvalidArgument);
}

TEST_CASE(
    "X03: paths are bytes: Korean, decomposed Korean, spaces, quotes, percent signs, 250 bytes, no UTF-8") {
  const TemporaryFolder folder;
  const std::string decomposed = "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab.txt";  // 한 as three letters
  for (const std::string& name :
       {std::string("모델 폴더 (새)/한글 이름.txt"), decomposed, std::string("a 'b' \"c\" %20 %s \\ ;*?.txt"),
        std::string(250, 'n'), std::string("bytes\xff\xfe.txt"), std::string("줄\n바꿈.txt")}) {
    CAPTURE(name);
    const std::string path = folder.write(name, "x" + name);
    CHECK_EQ(read(path), "x" + name);
    const std::string parent = path.substr(0, path.rfind('/'));
    const auto names = real_file_system().list(parent);
    REQUIRE(names);
    CHECK_NE(std::find(names->begin(), names->end(), path.substr(parent.size() + 1)), names->end());
  }
  CHECK_FALSE(real_file_system().open(folder.path("한.txt")));  // the composed name is another file
}

TEST_CASE(
    "file: replacing a file keeps its mode, leaves no temporary file, and old readers keep the old content") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "old");
  REQUIRE_EQ(::chmod(path.c_str(), 0640), 0);
  auto old = real_file_system().open(path);
  REQUIRE(old);
  REQUIRE(write(path, "new content"));
  CHECK_EQ(read(path), "new content");
  CHECK_EQ(text_of((*old)->map().value()), "old");
  struct stat status {};
  REQUIRE_EQ(::stat(path.c_str(), &status), 0);
  CHECK_EQ(status.st_mode & 07777, 0640U);
  CHECK_EQ(real_file_system().list(folder.path()).value().size(), 1);
}

TEST_CASE("file: writing through a link changes the file behind it and keeps the link") {
  const TemporaryFolder folder;
  const std::string target = folder.write("deep/target", "old");
  REQUIRE_EQ(::symlink("deep/target", folder.path("link").c_str()), 0);
  REQUIRE(write(folder.path("link"), "new"));
  CHECK_EQ(read(target), "new");
  struct stat status {};
  REQUIRE_EQ(::lstat(folder.path("link").c_str(), &status), 0);
  CHECK(S_ISLNK(status.st_mode));
}

TEST_CASE("file: a write that fails says so and leaves nothing behind") {
  const TemporaryFolder folder;
  CHECK_EQ(write(folder.path("no/such/folder/a"), "x").error().code, Code::kNotFound);
  folder.write("is-folder/inside", "x");
  CHECK_FALSE(write(folder.path("is-folder"), "x"));
  CHECK_EQ(real_file_system().list(folder.path()).value(), std::vector<std::string>{"is-folder"});
}

TEST_CASE("file: identity changes when a file is cut, rewritten or replaced") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "0123456789");
  auto file = real_file_system().open(path);
  REQUIRE(file);
  CHECK_EQ(real_file_system().identity(path).value(), (*file)->identity());
  REQUIRE_EQ(::truncate(path.c_str(), 5), 0);
  CHECK_FALSE(real_file_system().identity(path).value() == (*file)->identity());
  file = real_file_system().open(path);
  folder.write("a", "abcde");
  CHECK_FALSE(real_file_system().identity(path).value() == (*file)->identity());
}

TEST_CASE("read_text: a file longer than the limit is refused, one of exactly the limit is read") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", std::string(100'000, 'x'));
  CHECK_EQ(read_text(real_file_system(), path, 100'000).value().size(), 100'000);
  const auto refused = read_text(real_file_system(), path, 99'999);
  REQUIRE_FALSE(refused);
  CHECK_EQ(refused.error().code, Code::kInvalidArgument);
  CHECK_EQ(read_text(real_file_system(), folder.write("b", ""), 0).value_or("?"), "");
}

TEST_CASE("read_text: files that do not know their length are read to their end") {
  CHECK_NE(read("/proc/self/status").find("Name:"), std::string::npos);
}

TEST_CASE("list: a missing folder is not found; names are sorted and without the dots") {
  const TemporaryFolder folder;
  for (const char* name : {"b", "a", ".hidden", "가"}) folder.write(name, "");
  CHECK_EQ(real_file_system().list(folder.path()).value(),
           std::vector<std::string>{".hidden", "a", "b", "가"});
  CHECK_EQ(real_file_system().list(folder.path("x")).error().code, Code::kNotFound);
}

TEST_CASE("fault injection: only the named path fails, and only after the operations it is to skip") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "0123456789");
  const std::string other = folder.write("b", "other");
  FaultyFileSystem files(real_file_system());
  files.set(path, {.open_error = Error{Code::kIo, "broken disk", path}, .skip_count = 1});
  CHECK(files.open(path));
  CHECK_EQ(files.open(path).error().message, "broken disk");
  CHECK(files.open(other));
  CHECK_EQ(files.operations(path), 2);
  files.clear(path);
  CHECK(files.open(path));
}

TEST_CASE("fault injection: a short file looks cut in every way of reading it") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "0123456789");
  FaultyFileSystem files(real_file_system());
  files.set(path, {.bytes_max = 4});
  auto file = files.open(path);
  REQUIRE(file);
  CHECK_EQ((*file)->bytes(), 4);
  CHECK_EQ((*file)->map().value().size(), 4);
  std::string part(6, ' ');
  CHECK_EQ((*file)->read_at(0, std::as_writable_bytes(std::span(part))).error().code, Code::kDataLoss);
  CHECK_EQ((*file)->read_some(1, std::as_writable_bytes(std::span(part))).value(), 3);
  CHECK_EQ(files.identity(path).value().bytes, 4);
  CHECK_EQ(read_text(files, path, 100).value(), "0123");
}

TEST_CASE("fault injection: a fault set later reaches files that are already open") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "0123456789");
  FaultyFileSystem files(real_file_system());
  auto file = files.open(path);
  REQUIRE(file);
  files.set(path,
            {.read_error = Error{Code::kIo, "gone", path}, .write_error = Error{Code::kIo, "full", path}});
  std::string part(2, ' ');
  CHECK_EQ((*file)->read_at(0, std::as_writable_bytes(std::span(part))).error().message, "gone");
  CHECK_EQ(files.write_atomically(path, {}).error().message, "full");
  CHECK_EQ(read(path), "0123456789");
}

}  // namespace
}  // namespace ondol
