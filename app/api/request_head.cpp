#include "app/api/request_head.h"

#include <charconv>

namespace ondol::api {
namespace {

constexpr size_t kTargetBytesMax = 8000;
constexpr int kHeaderCountMax = 96;

bool is_token(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    const bool alnum = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!alnum && std::string_view("!#$%&'*+-.^_`|~").find(c) == std::string_view::npos) return false;
  }
  return true;
}

bool same_word(std::string_view a, std::string_view lower) {
  if (a.size() != lower.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const char c = a[i] >= 'A' && a[i] <= 'Z' ? static_cast<char>(a[i] - 'A' + 'a') : a[i];
    if (c != lower[i]) return false;
  }
  return true;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

HeadResult bad(int status, std::string problem) { return {{}, status, std::move(problem)}; }

// False with `out.problem` set when the header makes the request unreadable.
bool take_header(std::string_view name, std::string_view value, HeadResult& out) {
  RequestHead& head = out.head;
  const auto refuse = [&](int status, const char* problem) {
    out.status = status;
    out.problem = problem;
    return false;
  };
  if (same_word(name, "content-length")) {
    uint64_t length = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
    const bool whole = !value.empty() && error == std::errc() && end == value.data() + value.size();
    if (!whole || head.content_length) return refuse(400, "Content-Length must be one number");
    head.content_length = length;
  } else if (same_word(name, "transfer-encoding")) {
    if (!same_word(value, "chunked") || head.chunked)
      return refuse(501, "the only transfer encoding is 'chunked'");
    head.chunked = true;
  } else if (same_word(name, "host")) {
    if (head.has_host) return refuse(400, "more than one Host header");
    head.has_host = true;
    head.host = value;
  } else if (same_word(name, "expect")) {
    if (!same_word(value, "100-continue")) return refuse(417, "the only expectation is '100-continue'");
    head.expect_continue = true;
  } else if (same_word(name, "connection")) {
    head.close = head.close || same_word(value, "close");
  } else if (same_word(name, "origin")) {
    head.origin = value;
  } else if (same_word(name, "content-encoding")) {
    head.content_encoding = value;
  } else if (same_word(name, "accept-encoding")) {
    head.accept_encoding = value;
  } else if (same_word(name, "if-none-match")) {
    head.if_none_match = value;
  }
  return true;
}

}  // namespace

std::string_view RequestHead::raw_path() const {
  const std::string_view all = target;
  return all.substr(0, all.find_first_of("?#"));
}

size_t head_bytes(std::string_view received) {
  const size_t end = received.find("\r\n\r\n");
  return end == std::string_view::npos ? 0 : end + 4;
}

HeadResult parse_head(std::string_view bytes) {
  HeadResult out;
  size_t at = bytes.find("\r\n");
  if (at == std::string_view::npos) return bad(400, "the request has no end of line");
  const std::string_view line = bytes.substr(0, at);
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return bad(400, "the request line is not HTTP");
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return bad(505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
  if (!is_token(method)) return bad(400, "the request line is not HTTP");
  if (target.size() > kTargetBytesMax) return bad(414, "the address is too long");
  for (const char c : target) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f) return bad(400, "the request line is not HTTP");
  }
  out.head.method = method;
  out.head.target = target;
  out.head.http_1_1 = version == "HTTP/1.1";
  out.head.close = !out.head.http_1_1;

  at += 2;
  for (int count = 0;; ++count) {
    const size_t end = bytes.find("\r\n", at);
    if (end == std::string_view::npos) return bad(400, "the headers do not end");
    if (end == at) break;
    if (count >= kHeaderCountMax) return bad(431, "too many headers");
    const std::string_view header = bytes.substr(at, end - at);
    const size_t colon = header.find(':');
    if (colon == std::string_view::npos || !is_token(header.substr(0, colon)))
      return bad(400, "a header line is not 'Name: value'");
    for (const char c : header) {
      if (c == '\r' || c == '\n' || c == '\0') return bad(400, "a header holds a control character");
    }
    if (!take_header(header.substr(0, colon), trim(header.substr(colon + 1)), out)) return out;
    at = end + 2;
  }
  if (out.head.chunked && out.head.content_length) return bad(400, "both a length and chunks are given");
  if (out.head.http_1_1 && !out.head.has_host) return bad(400, "the Host header is missing");
  return out;
}

}  // namespace ondol::api
