// The HTTP server: reception (one thread) -> workers -> RequestHandler. It knows sockets and HTTP, no model
// and no JSON but the shape of its own errors, which the handler gives it. Threads: start/stop by the owner;
// the handler's methods are called from many threads at once.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/api/http_types.h"
#include "app/api/listener.h"
#include "app/api/server_limits.h"

namespace ondol::api {

class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  // Paths that take a POST body.
  virtual std::vector<std::string> body_paths() const = 0;
  // Served by the reserved workers: must never wait.
  virtual bool urgent(std::string_view path) const = 0;
  // Before the body is read: an answer that needs none of it (routes, hosts, origins, everything that is not
  // a POST).
  virtual std::optional<HttpReply> before_body(const HttpRequest& request) = 0;
  virtual HttpReply handle(const HttpRequest& request, const Client& client) = 0;
  virtual std::string error_body(int status, const std::string& message) const = 0;
  // After each answer.
  virtual void served(const ServedRequest& request) = 0;
};

class HttpServer {
 public:
  HttpServer(std::vector<Listener> listeners, ServerLimits limits, RequestHandler& handler);
  ~HttpServer();

  void start();
  std::vector<ListenAddress> addresses() const;
  int connections_open() const;
  int requests_running() const;
  // Takes no more connections; waits for the answers in progress up to grace_ms, then cuts them off.
  void stop(int64_t grace_ms);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ondol::api
