#include "app/api/listen_address.h"

#include <doctest/doctest.h>

namespace ondol::api {

TEST_CASE("listen: every documented form is understood") {
  struct {
    const char* text;
    const char* url;
  } cases[] = {{"127.0.0.1:8080", "http://127.0.0.1:8080"},
               {"[::1]:8080", "http://[::1]:8080"},
               {"::1", "http://[::1]:8484"},
               {"::", "http://[::]:8484"},
               {"[::1]", "http://[::1]:8484"},
               {"0.0.0.0", "http://0.0.0.0:8484"},
               {"0.0.0.0:0", "http://0.0.0.0:0"},
               {"unix:/run/ondol.sock", "unix:/run/ondol.sock"}};
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const auto parsed = parse_listen(c.text);
    REQUIRE(parsed);
    REQUIRE(parsed->size() == 1);
    CHECK(parsed->front().url() == c.url);
  }
}

TEST_CASE("listen: localhost is both families, and the second may be missing") {
  const auto parsed = parse_listen("localhost:81");
  REQUIRE(parsed);
  REQUIRE(parsed->size() == 2);
  CHECK((*parsed)[0].url() == "http://127.0.0.1:81");
  CHECK(!(*parsed)[0].optional);
  CHECK((*parsed)[1].url() == "http://[::1]:81");
  CHECK((*parsed)[1].optional);
}

TEST_CASE("listen: what cannot be listened on is refused in words") {
  for (const char* text : {"", "abc", "70000", "127.0.0.1:70000", "127.0.0.1:abc",
                           "127.0.0.1:", "127.0.0.1:-1", "[::1", "[::1]x", "[127.0.0.1]:1", "example.org:80",
                           "1.2.3:80", "::1:99999x", "unix:", "1:2:3:4", "127.0.0.1:80 "}) {
    CAPTURE(text);
    const auto parsed = parse_listen(text);
    REQUIRE(!parsed);
    CHECK(parsed.error().code == Code::kInvalidArgument);
    CHECK(parsed.error().message.starts_with("cannot listen on"));
  }
}

TEST_CASE("listen: loopback and wildcard addresses are told apart") {
  CHECK(parse_listen("127.0.0.9:1")->front().loopback());
  CHECK(parse_listen("::1")->front().loopback());
  CHECK(parse_listen("[0:0:0:0:0:0:0:1]:1")->front().loopback());
  CHECK(parse_listen("unix:/x")->front().loopback());
  CHECK(!parse_listen("0.0.0.0")->front().loopback());
  CHECK(parse_listen("0.0.0.0")->front().wildcard());
  CHECK(parse_listen("::")->front().wildcard());
  CHECK(!parse_listen("10.0.0.1")->front().wildcard());
}

}  // namespace ondol::api
