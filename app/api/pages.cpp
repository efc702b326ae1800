#include "app/api/pages.h"

#include "app/api/embedded_files.h"

namespace ondol::api {
namespace {

constexpr const char* kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const EmbeddedFile* find(std::string_view path) { return embedded_file(path == "/" ? "/index.html" : path); }

bool accepts_gzip(std::string_view header) {
  const size_t at = header.find("gzip");
  return at != std::string_view::npos && !header.substr(at + 4).starts_with(";q=0,") &&
         header.substr(at + 4) != ";q=0";
}

}  // namespace

bool is_page(std::string_view path) { return find(path) != nullptr; }

std::optional<HttpReply> page_reply(const HttpRequest& request) {
  const EmbeddedFile* file = find(request.path);
  if (!file) return std::nullopt;
  HttpReply reply;
  const bool hashed = file->path.starts_with("/assets/");  // the name changes with the content
  reply.headers = {{"Content-Security-Policy", kContentSecurityPolicy},
                   {"Referrer-Policy", "no-referrer"},
                   {"ETag", std::string(file->etag)},
                   {"Vary", "Accept-Encoding"},
                   {"Cache-Control", hashed ? "public, max-age=31536000, immutable" : "no-cache"}};
  if (request.if_none_match.find(file->etag) != std::string::npos) {
    reply.status = 304;
    return reply;
  }
  reply.content_type = file->content_type;
  const bool gzip = !file->gzip.empty() && accepts_gzip(request.accept_encoding);
  const auto bytes = gzip ? file->gzip : file->bytes;
  reply.body.assign(bytes.begin(), bytes.end());
  if (gzip) reply.headers.emplace_back("Content-Encoding", "gzip");
  return reply;
}

}  // namespace ondol::api
