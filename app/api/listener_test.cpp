#include "app/api/listener.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>

namespace ondol::api {

TEST_CASE("listener: port 0 takes a free port and says which") {
  auto bound = bind_all(*parse_listen("127.0.0.1:0"));
  REQUIRE(bound);
  CHECK(bound->front().address.port > 0);
}

TEST_CASE("listener: a port in use is a plain sentence with the address") {
  auto first = bind_all(*parse_listen("127.0.0.1:0"));
  REQUIRE(first);
  const std::string at = "127.0.0.1:" + std::to_string(first->front().address.port);
  const auto second = bind_all(*parse_listen(at));
  REQUIRE(!second);
  CHECK(second.error().message.find("http://" + at) != std::string::npos);
  CHECK(second.error().message.find("already in use") != std::string::npos);
}

TEST_CASE("listener: localhost with port 0 has one port in both families") {
  auto bound = bind_all(*parse_listen("localhost:0"));
  REQUIRE(bound);
  for (const Listener& listener : *bound) CHECK(listener.address.port == bound->front().address.port);
}

TEST_CASE("listener: an address of another machine is refused in words") {
  const auto bound = bind_all(*parse_listen("192.0.2.1:0"));
  REQUIRE(!bound);
  CHECK(bound.error().message.find("does not have that address") != std::string::npos);
}

TEST_CASE("listener: a unix socket left behind is replaced, one in use is not") {
  const std::string path = "/tmp/ondol_listener_test_" + std::to_string(getpid()) + ".sock";
  const auto address = *parse_listen("unix:" + path);
  {
    auto first = bind_all(address);
    REQUIRE(first);
    CHECK(!bind_all(address));
    const int stale = dup(first->front().socket.get());
    first->front().socket.close();  // the file stays, as after a crash
    ::close(stale);
  }
  REQUIRE(access(path.c_str(), F_OK) == 0);
  {
    auto again = bind_all(address);
    REQUIRE(again);
  }
  CHECK(access(path.c_str(), F_OK) != 0);
}

TEST_CASE("listener: a file that is no socket stays, and is not called a program") {
  const std::string path = "/tmp/ondol_listener_test_" + std::to_string(getpid()) + ".txt";
  std::FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  std::fclose(file);
  const auto bound = bind_all(*parse_listen("unix:" + path));
  REQUIRE(!bound);
  CHECK(bound.error().message.find("no socket") != std::string::npos);
  CHECK(unlink(path.c_str()) == 0);
}

}  // namespace ondol::api
