// What a handler sees of HTTP: plain values, free of the HTTP library.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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

struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  // When set, `body` is unused: called once, after the headers went out. False: the client is lost.
  std::function<bool(EventSink&)> stream;
};

}  // namespace ondol::api
