// cpp-httplib, configured in one place. It parses requests, reads bodies and writes answers; sockets, waits
// and threads are ours (reception.h, connection_stream.h, worker_pool.h).
#pragma once

#define CPPHTTPLIB_USE_POLL
#define CPPHTTPLIB_REQUEST_URI_MAX_LENGTH 16384
#define CPPHTTPLIB_HEADER_MAX_LENGTH 16384
#include <httplib.h>
