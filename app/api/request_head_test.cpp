#include "app/api/request_head.h"

#include <doctest/doctest.h>

#include <string>

namespace ondol::api {

TEST_CASE("request head: its end is found only when it is there") {
  CHECK(head_bytes("GET / HTTP/1.1\r\nHost: a\r\n") == 0);
  CHECK(head_bytes("GET / HTTP/1.1\r\nHost: a\r\n\r\nrest") == 27);
}

TEST_CASE("request head: the fields that matter are read, whatever their case") {
  const auto r = parse_head(
      "POST /v1/x?a=b HTTP/1.1\r\nHOST: localhost:1\r\ncontent-length:  12 \r\n"
      "Expect: 100-Continue\r\nConnection: Close\r\nOrigin: http://a\r\n\r\n");
  REQUIRE(r.status == 0);
  CHECK(r.head.method == "POST");
  CHECK(r.head.raw_path() == "/v1/x");
  CHECK(r.head.host == "localhost:1");
  CHECK(r.head.content_length == 12);
  CHECK(r.head.expect_continue);
  CHECK(r.head.close);
  CHECK(r.head.origin == "http://a");
  CHECK(r.head.has_body());
}

TEST_CASE("request head: what could be read in two ways is refused") {
  const char* bad[] = {
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 2\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
      "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
      "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
      "GET /\r\n\r\n",
      "\x16\x03\x01 hello\r\n\r\n",
  };
  for (const char* text : bad) {
    CAPTURE(text);
    CHECK(parse_head(text).status >= 400);
  }
}

TEST_CASE("request head: HTTP/1.0 closes and needs no Host") {
  const auto r = parse_head("GET / HTTP/1.0\r\n\r\n");
  REQUIRE(r.status == 0);
  CHECK(r.head.close);
}

}  // namespace ondol::api
