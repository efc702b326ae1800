// The text of /metrics: our names, the ones llama-server's dashboards read, and the "vllm:" ones that
// inference gateways read. Every family is there before the first request.
#pragma once

#include <cstdint>
#include <string>

#include "app/api/model_registry.h"
#include "app/metrics/http_counters.h"

namespace ondol::api {

struct ServerFacts {
  std::string version;
  int64_t start_unix_s = 0;
  double uptime_s = 0;
  int connections_open = 0;
  uint64_t log_lines_lost = 0;
};

std::string metrics_page(const ModelRegistry& models, const metrics::HttpCounters& http,
                         const ServerFacts& facts);

}  // namespace ondol::api
