#include "app/api/access.h"

#include <doctest/doctest.h>

namespace ondol::api {

TEST_CASE("access: on loopback only this machine's names are good hosts") {
  const Access access({}, *parse_listen("127.0.0.1:8484"));
  for (const char* good : {"localhost", "LOCALHOST:8484", "127.0.0.1:8484", "[::1]:8484", "[::1]"}) {
    CAPTURE(good);
    CHECK(access.host_allowed(good));
  }
  for (const char* bad : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8484", "10.0.0.1",
                          "", "[", "a@localhost"}) {
    CAPTURE(bad);
    CHECK(!access.host_allowed(bad));
  }
}

TEST_CASE("access: a listener on all addresses takes every numeric host, and no name") {
  const Access access({{"llm.example"}, {}}, *parse_listen("0.0.0.0:80"));
  CHECK(access.host_allowed("192.168.1.7:80"));
  CHECK(access.host_allowed("[fe80::1]:80"));
  CHECK(access.host_allowed("LLM.example:80"));
  CHECK(!access.host_allowed("evil.example"));
}

TEST_CASE("access: origins are the same, listed, or refused") {
  const Access access({{}, {"https://chat.example"}}, *parse_listen("127.0.0.1:1"));
  CHECK(Access::same_origin("http://localhost:1", "localhost:1"));
  CHECK(!Access::same_origin("http://localhost:2", "localhost:1"));
  CHECK(!Access::same_origin("null", "localhost:1"));
  CHECK(access.origin_allowed("https://chat.example"));
  CHECK(!access.origin_allowed("https://chat.example.evil"));
}

}  // namespace ondol::api
