// A whole server on a loopback port with a FakeEngine behind it, and a raw client. Tests only.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <memory>
#include <string>

#include "app/api/fake_engine.h"
#include "app/api/http_server.h"
#include "app/api/service.h"
#include "core/base/clock.h"

namespace ondol::api {

struct TestServer {
  ModelRegistry models;
  FakeEngine* engine = nullptr;
  std::unique_ptr<Service> service;
  std::unique_ptr<HttpServer> server;
  int port = 0;

  explicit TestServer(ServerLimits limits = {}, AccessOptions access = {}, int64_t ping_interval_ms = 10'000,
                      ServerLog* log = nullptr) {
    auto fake = std::make_unique<FakeEngine>();
    engine = fake.get();
    models.add({"fake", "fake.gguf", std::move(fake), ""});
    auto listeners = bind_all(*parse_listen("127.0.0.1:0"));
    port = listeners->front().address.port;
    service = std::make_unique<Service>(models, Access(std::move(access), {listeners->front().address}),
                                        ServiceOptions{"0.0.0", ping_interval_ms, log});
    server = std::make_unique<HttpServer>(std::move(*listeners), limits, *service);
    service->count_connections([this] { return server->connections_open(); });
    server->start();
  }
};

inline int64_t test_now_ms() { return system_clock().now_ns() / 1'000'000; }

// One connection; bytes out, bytes in.
class RawClient {
 public:
  explicit RawClient(int port, int receive_bytes = 0) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_bytes > 0)
      setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  bool connected() const { return connected_; }
  bool send(std::string_view bytes) {
    return ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  // What comes until the peer closes, `until` was seen, or the time is up.
  std::string read(std::string_view until = "", int64_t timeout_ms = 5000) {
    std::string out;
    const int64_t end = test_now_ms() + timeout_ms;
    while (until.empty() || out.find(until) == std::string::npos) {
      pollfd entry{fd_.get(), POLLIN, 0};
      const int64_t left = end - test_now_ms();
      if (left <= 0 || poll(&entry, 1, static_cast<int>(left)) <= 0) break;
      char buffer[8192];
      const ssize_t got = recv(fd_.get(), buffer, sizeof(buffer), 0);
      if (got <= 0) {
        closed_ = true;
        break;
      }
      out.append(buffer, static_cast<size_t>(got));
    }
    return out;
  }
  bool closed() const { return closed_; }
  void close() { fd_.close(); }

 private:
  Descriptor fd_;
  bool connected_ = false;
  bool closed_ = false;
};

inline std::string post_text(const std::string& path, const std::string& body,
                             const std::string& headers = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

struct Answer {
  int status = 0;
  std::string head, body;
  Json json() const { return parse_json(body).value_or(Json()); }
};

inline Answer split_answer(const std::string& raw) {
  Answer out;
  const size_t end = raw.find("\r\n\r\n");
  if (end == std::string::npos || raw.size() < 12) return out;
  out.head = raw.substr(0, end);
  out.body = raw.substr(end + 4);
  out.status = std::atoi(raw.c_str() + 9);
  return out;
}

inline Answer ask(int port, const std::string& request, int64_t timeout_ms = 5000) {
  RawClient client(port);
  client.send(request);
  return split_answer(client.read("", timeout_ms));
}

inline Answer get(int port, const std::string& path, const std::string& headers = "") {
  return ask(port,
             "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers + "\r\n");
}

inline Answer post(int port, const std::string& path, const std::string& body,
                   const std::string& headers = "") {
  return ask(port, post_text(path, body, "Connection: close\r\n" + headers));
}

// The payloads of a chunked event stream.
inline std::vector<std::string> events_of(const Answer& answer) {
  std::string text;
  for (size_t at = 0; at < answer.body.size();) {
    const size_t line = answer.body.find("\r\n", at);
    if (line == std::string::npos) break;
    const size_t length = std::stoul(answer.body.substr(at, line - at), nullptr, 16);
    if (length == 0) break;
    text += answer.body.substr(line + 2, length);
    at = line + 2 + length + 2;
  }
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find("\n\n", at);
    if (end == std::string::npos) break;
    out.push_back(text.substr(at, end - at));
    at = end + 2;
  }
  return out;
}

}  // namespace ondol::api
