// The browser page, held in the program itself: web/dist as the build found it (embed_web.py), sorted by
// path, and /licenses.txt, which has to go with every copy. Where the page was not built (dev and test builds
// only), one /index.html that says so. Immutable, lives as long as the process; any thread.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace ondol {

struct EmbeddedFile {
  std::string_view path;          // as in the URL, with its slash: "/index.html", "/assets/app-1a2b.js"
  std::string_view content_type;  // "text/html; charset=utf-8"
  std::string_view etag;          // with its quotes, as in the header; from the SHA-256 of `bytes`
  std::span<const unsigned char> bytes;
  std::span<const unsigned char> gzip;  // the same, compressed; empty where that would save little
};

std::span<const EmbeddedFile> embedded_files();

// Null if there is none of this path.
inline const EmbeddedFile* embedded_file(std::string_view path) {
  const auto files = embedded_files();
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const EmbeddedFile& f) { return f.path == path; });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace ondol
