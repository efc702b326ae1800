// Every limit of the HTTP side in one place (design: every queue, wait and field has a named limit).
// app/api/API.md tells them to users.
#pragma once

#include <cstdint>

namespace ondol::api {

struct ServerLimits {
  int connections_max = 1024;             // open at once, of any kind
  int workers_max = 512;                  // requests in progress at once
  int workers_reserved = 16;              // more of them, for /health and /metrics alone
  int64_t head_bytes_max = 16 << 10;      // request line and headers
  int64_t body_bytes_max = 16 << 20;      // of one request
  int64_t bodies_bytes_max = 256 << 20;   // of all requests being read
  int64_t head_timeout_ms = 10'000;       // from the first byte (or accept) to the end of the headers
  int64_t idle_timeout_ms = 30'000;       // a kept-alive connection without a request
  int64_t body_timeout_ms = 60'000;       // the whole body
  int64_t read_idle_timeout_ms = 15'000;  // between two pieces of the body
  int64_t write_timeout_ms = 10'000;      // a client that takes nothing
  int64_t write_bytes_per_s_min = 1024;   // a client that takes little
  int64_t linger_ms = 300;             // reading on after an early error, so that the client sees the answer
  int64_t linger_bytes_max = 4 << 20;  // and at most so much
  int64_t send_buffer_bytes = 64 << 10;  // the kernel's, per connection
  int64_t ping_interval_ms = 10'000;     // a comment in a silent event stream
};

}  // namespace ondol::api
