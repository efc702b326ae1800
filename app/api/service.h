// What each route does. One instance serves all requests; it owns no model. Any thread.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "app/api/access.h"
#include "app/api/http_server.h"
#include "app/api/json_text.h"
#include "app/api/model_registry.h"
#include "app/api/server_log.h"
#include "app/metrics/http_counters.h"

namespace ondol::api {

struct ServiceOptions {
  std::string version;
  int64_t ping_interval_ms = 10'000;
  ServerLog* log = nullptr;  // outlives the service; null: no request log
};

class Service final : public RequestHandler {
 public:
  Service(const ModelRegistry& models, Access access, ServiceOptions options);

  std::vector<std::string> body_paths() const override;
  bool urgent(std::string_view path) const override;
  std::optional<HttpReply> before_body(const HttpRequest& request) override;
  HttpReply handle(const HttpRequest& request, const Client& client) override;
  std::string error_body(int status, const std::string& message) const override;
  void served(const ServedRequest& request) override;

  // From now on: not ready, and no new work is taken.
  void begin_stop() { stopping_ = true; }
  // For a gauge in /metrics.
  void count_connections(std::function<int()> connections) { connections_ = std::move(connections); }

 private:
  std::optional<HttpReply> refused(const HttpRequest& request) const;
  HttpReply get(const HttpRequest& request) const;
  HttpReply preflight(const HttpRequest& request, const std::string& allow) const;
  HttpReply ready() const;
  HttpReply models() const;
  HttpReply model(const std::string& id) const;
  HttpReply answer(const HttpRequest& request, const Client& client,
                   const std::shared_ptr<RequestFacts>& facts) const;
  HttpReply completion(const ServedModel& served, const Json& body, bool chat, const Client& client,
                       const std::shared_ptr<RequestFacts>& facts) const;
  void finish(const HttpRequest& request, HttpReply& reply) const;

  const ModelRegistry& models_;
  const Access access_;
  const ServiceOptions options_;
  const int64_t start_ns_, start_unix_s_;
  metrics::HttpCounters counters_;
  std::function<int()> connections_;
  std::atomic<bool> stopping_{false};
};

}  // namespace ondol::api
