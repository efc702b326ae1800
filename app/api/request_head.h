// The little that must be known of a request before a thread is spent on it or its body is read: found in the
// raw bytes of its head. Strict where a loose reading would be dangerous (two lengths, spaces before a colon,
// bare line feeds). Pure functions. HTTP/1.1: RFC 9112.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ondol::api {

struct RequestHead {
  std::string method;
  std::string target;  // as sent
  bool http_1_1 = true;
  bool close = false;  // the client asks for the connection's end after this
  bool chunked = false;
  std::optional<uint64_t> content_length;
  bool expect_continue = false;
  bool has_host = false;
  std::string host;
  std::string origin;
  std::string content_encoding;
  std::string accept_encoding;
  std::string if_none_match;
  bool has_body() const { return chunked || (content_length && *content_length > 0); }
  std::string_view raw_path() const;  // target up to '?' or '#'
};

// The number of bytes up to and with the empty line, or 0 when it has not come yet.
size_t head_bytes(std::string_view received);

// An empty `problem` means a good head.
struct HeadResult {
  RequestHead head;
  int status = 0;  // 0: good
  std::string problem;
};
HeadResult parse_head(std::string_view bytes);

}  // namespace ondol::api
