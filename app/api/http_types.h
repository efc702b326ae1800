// What a handler sees of HTTP: plain values, free of the HTTP library.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ondol::api {

struct HttpRequest {
  std::string method;
  std::string path;  // decoded, without the query
  std::string body;
  std::string host;
  std::string origin;  // empty: none
  std::string accept_encoding;
  std::string if_none_match;
  bool over_unix_socket = false;
};

// The client's end of the connection.
class Client {
 public:
  virtual ~Client() = default;
  // True once the client closed its end. Costs one system call; never blocks.
  virtual bool gone() const = 0;
};

// Where a streamed answer goes. write() is false when the client is gone or too slow: the stream must end.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual bool write(std::string_view bytes) = 0;
};

// What the request log tells of a completion, known when its answer ends.
struct RequestFacts {
  std::string id;  // as the answer has it; empty: none
  std::string model;
  std::string error;          // its code, "context_length_exceeded"
  std::string hidden_error;   // an internal error's own words, which the client does not get
  std::string finish_reason;  // "stop", "cancelled", "error"…; empty: nothing was computed
  bool stream = false;
  int64_t prompt_tokens = 0, cached_tokens = 0, completion_tokens = 0;
  double queue_ms = 0;
  int64_t first_token_ns = 0;  // on the monotonic clock; 0: none came
};

// A request that is over.
struct ServedRequest {
  std::string_view method, path;  // empty: the reception answered
  int status = 0;                 // 499: the client left before the answer's end
  int64_t begin_ns = 0;
  double seconds = 0;
  std::string_view client;              // its address, or "unix"
  const RequestFacts* facts = nullptr;  // null: none
};

struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  // When set, `body` is unused: called once, after the headers went out. False: the client is lost.
  std::function<bool(EventSink&)> stream;
  std::shared_ptr<RequestFacts> facts;  // shared with `stream`; null: none
};

}  // namespace ondol::api
