// One accepted connection. It belongs to the reception thread while it waits for a request's head, and to one
// worker while that request is served; it is handed over whole, never shared.
#pragma once

#include <cstdint>
#include <string>

#include "app/api/listener.h"
#include "app/api/request_head.h"

namespace ondol::api {

struct Connection {
  Descriptor socket;
  bool over_unix_socket = false;
  std::string peer;            // the client's address without its port, or "unix"
  std::string received;        // read and not yet consumed; begins with a request's head
  RequestHead head;            // of the request that a worker serves
  bool closing = false;        // answered for the last time: read on a moment, then close
  int64_t lingered_bytes = 0;  // thrown away since then
  int64_t since_ns = 0;        // reception: when the present wait began
  int64_t deadline_ns = 0;     // and when it ends
};

}  // namespace ondol::api
