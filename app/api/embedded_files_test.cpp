#include "app/api/embedded_files.h"

#include <doctest/doctest.h>

#include <string>

namespace ondol {

TEST_CASE("embedded files: the start page is among them, as HTML") {
  const EmbeddedFile* page = embedded_file("/index.html");
  REQUIRE(page != nullptr);
  CHECK(page->content_type == "text/html; charset=utf-8");
  const std::string text(page->bytes.begin(), page->bytes.end());
  CHECK(text.find("<html") != std::string::npos);
}

TEST_CASE("embedded files: the licences of all that the program holds go with it") {
  const EmbeddedFile* licenses = embedded_file("/licenses.txt");
  REQUIRE(licenses != nullptr);
  CHECK(licenses->content_type == "text/plain; charset=utf-8");
  const std::string text(licenses->bytes.begin(), licenses->bytes.end());
  for (const char* notice :
       {"Jason Miller", "MarkedJS", "John Gruber", "Cure53", "Ivan Sagalaev", "Yuji Hirose", "Niels Lohmann",
        "Henry Schreiner", "Apache License", "LESSER GENERAL PUBLIC LICENSE"}) {
    CAPTURE(notice);
    CHECK(text.find(notice) != std::string::npos);
  }
  CHECK(embedded_file("/no-such-file") == nullptr);
}

TEST_CASE("embedded files: every file has a path, a type and a quoted etag, and the paths ascend") {
  std::string_view previous;
  for (const EmbeddedFile& file : embedded_files()) {
    CAPTURE(file.path);
    CHECK(file.path.starts_with("/"));
    CHECK(file.path > previous);
    CHECK(!file.content_type.empty());
    CHECK(file.etag.size() == 34);
    CHECK(file.etag.front() == '"');
    CHECK(file.etag.back() == '"');
    previous = file.path;
  }
}

TEST_CASE("embedded files: a compressed copy is a gzip stream of the same length, and smaller") {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.gzip.empty()) continue;
    CAPTURE(file.path);
    REQUIRE(file.gzip.size() > 18);
    CHECK(file.gzip[0] == 0x1f);
    CHECK(file.gzip[1] == 0x8b);
    CHECK(file.gzip.size() < file.bytes.size());
    const auto tail = file.gzip.last(4);  // the length, little-endian (RFC 1952, ISIZE)
    const size_t length = tail[0] | tail[1] << 8 | tail[2] << 16 | static_cast<size_t>(tail[3]) << 24;
    CHECK(length == file.bytes.size());
  }
}

}  // namespace ondol
