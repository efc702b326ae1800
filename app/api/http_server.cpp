#include "app/api/http_server.h"

#include <thread>

#include "app/api/connection_stream.h"
#include "app/api/reception.h"
#include "app/api/worker_pool.h"
#include "core/base/clock.h"

namespace ondol::api {
namespace {

constexpr int kClientLeft = 499;

double seconds_since(int64_t begin_ns) {
  return static_cast<double>(system_clock().now_ns() - begin_ns) * 1e-9;
}

// The HTTP library, as one worker uses it: for one request at a time, on a stream of ours.
class RequestProcessor final : public httplib::Server {
 public:
  RequestProcessor(RequestHandler& handler, const ServerLimits& limits, std::atomic<int64_t>& bodies_bytes,
                   const std::atomic<bool>& abort)
      : handler_(handler), limits_(limits), bodies_bytes_(bodies_bytes), abort_(abort) {
    svr_sock_ = 0;  // the library would stop writing when it thinks that its own listener is closed
    set_payload_max_length(static_cast<size_t>(limits.body_bytes_max));
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      const std::optional<HttpReply> reply = handler_.before_body(plain(request, false));
      if (!reply) return HandlerResponse::Unhandled;
      give(*reply, response);
      return HandlerResponse::Handled;
    });
    for (const std::string& path : handler.body_paths()) {
      Post(path, [this](const httplib::Request& request, httplib::Response& response) {
        give(handler_.handle(plain(request, true), *stream_), response);
      });
    }
    set_error_handler([this](const httplib::Request&, httplib::Response& response) {
      if (!response.body.empty()) return HandlerResponse::Unhandled;
      if (stream_->read_problem() != 0) response.status = stream_->read_problem();
      response.set_content(handler_.error_body(response.status, words(response.status)), "application/json");
      return HandlerResponse::Handled;
    });
    set_exception_handler([this](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
      response.status = 500;
      response.body = handler_.error_body(500, words(500));
      response.set_header("Content-Type", "application/json");
    });
    set_post_routing_handler([this](const httplib::Request&, httplib::Response& response) {
      response.headers.erase("Keep-Alive");
      if (must_close(response.status) && !response.has_header("Connection"))
        response.set_header("Connection", "close");
    });
  }

  // Serves the request whose head the connection holds. True: another may follow.
  bool serve(Connection& connection) {
    const int64_t begin_ns = system_clock().now_ns();
    bool keep = false;
    connection_ = &connection;
    facts_ = nullptr;
    client_lost_ = false;
    head_read_ = false;
    std::string method = connection.head.method, path;
    {
      ConnectionStream stream(connection, limits_, bodies_bytes_, abort_);
      stream_ = &stream;
      bool asked_to_close = false;
      const bool ok = process_request(stream, "", 0, "", 0, connection.head.close, asked_to_close,
                                      [&](httplib::Request& request) {
                                        path = request.path;
                                        prepare(request);
                                      });
      const int status = stream.status();
      keep = ok && !asked_to_close && !must_close(status) && !stream.write_failed() && !abort_;
      const bool lost = status == 0 || stream.write_failed() || client_lost_;
      handler_.served({method, path, lost ? kClientLeft : status, begin_ns, seconds_since(begin_ns),
                       connection.peer, facts_.get()});
      stream_ = nullptr;
    }
    return keep;
  }

 private:
  // After an error the body may be unread: the next request could not be found. The same holds for a head
  // that the library refuses (an unknown method): it leaves the rest of it unread.
  bool must_close(int status) const {
    const RequestHead& head = connection_->head;
    if (!head_read_) return true;
    return head.close || (head.has_body() && (status == 0 || status >= 400 || head.method != "POST"));
  }

  // The library treats forms, multipart bodies, ranges and bodies without a length specially; this server
  // does not.
  void prepare(httplib::Request& request) {
    head_read_ = true;
    request.ranges.clear();
    request.headers.erase("Content-Type");
    request.headers.erase("Range");
    if (!connection_->head.chunked && !connection_->head.content_length)
      request.set_header("Content-Length", "0");
  }

  HttpRequest plain(const httplib::Request& request, bool with_body) const {
    const RequestHead& head = connection_->head;
    HttpRequest out;
    out.method = request.method;
    out.path = request.path;
    if (with_body) out.body = request.body;
    out.host = head.host;
    out.origin = head.origin;
    out.accept_encoding = head.accept_encoding;
    out.if_none_match = head.if_none_match;
    out.over_unix_socket = connection_->over_unix_socket;
    return out;
  }

  void give(const HttpReply& reply, httplib::Response& response) {
    facts_ = reply.facts;
    response.status = reply.status;
    for (const auto& [name, value] : reply.headers) response.set_header(name, value);
    if (!reply.stream) {
      if (reply.status != 204 && reply.status != 304) response.set_content(reply.body, reply.content_type);
      return;
    }
    const auto run = [this, stream = reply.stream](size_t, httplib::DataSink& sink) {
      struct Sink final : EventSink {
        httplib::DataSink& out;
        explicit Sink(httplib::DataSink& sink_) : out(sink_) {}
        bool write(std::string_view bytes) override {
          return bytes.empty() || out.write(bytes.data(), bytes.size());
        }
      } events(sink);
      client_lost_ = !stream(events);
      if (client_lost_) return false;
      sink.done();
      return true;
    };
    client_lost_ = true;  // until the stream has ended well: the library may not even begin it
    // HTTP/1.0 knows no chunks: the end of the connection ends the answer.
    if (connection_->head.http_1_1)
      response.set_chunked_content_provider(reply.content_type, run);
    else
      response.set_content_provider(reply.content_type, run);
  }

  static std::string words(int status) {
    switch (status) {
      case 400: return "the request could not be read";
      case 408: return "the request did not arrive in time";
      case 413: return "the request body is too large";
      case 414: return "the address is too long";
      case 503: return "the server is busy; try again soon";
      case 500: return "internal error";
      default: return "the request was refused";
    }
  }

  RequestHandler& handler_;
  const ServerLimits& limits_;
  std::atomic<int64_t>& bodies_bytes_;
  const std::atomic<bool>& abort_;
  Connection* connection_ = nullptr;
  bool head_read_ = false;  // by the library, whole
  ConnectionStream* stream_ = nullptr;
  std::shared_ptr<RequestFacts> facts_;  // of the request that is served
  bool client_lost_ = false;
};

}  // namespace

struct HttpServer::State {
  RequestHandler& handler;
  const ServerLimits limits;
  std::atomic<int64_t> bodies_bytes{0};
  std::atomic<bool> abort{false};
  Reception reception;
  WorkerPool workers;

  State(std::vector<Listener> listeners, ServerLimits limits_, RequestHandler& handler_)
      : handler(handler_),
        limits(limits_),
        reception(
            std::move(listeners), limits,
            {[this](std::unique_ptr<Connection>& connection) {
               return workers.enqueue(connection, handler.urgent(connection->head.raw_path()));
             },
             [this](int status, const std::string& message) { return handler.error_body(status, message); },
             [this](int status, const std::string& client) {
               handler.served({"", "", status, system_clock().now_ns(), 0, client});
             }}),
        workers(limits.workers_max, limits.workers_reserved, [this]() -> WorkerPool::Serve {
          auto processor = std::make_shared<RequestProcessor>(handler, limits, bodies_bytes, abort);
          return [this, processor](std::unique_ptr<Connection> connection) {
            connection->closing = !processor->serve(*connection);
            reception.give_back(std::move(connection));
          };
        }) {}
};

HttpServer::HttpServer(std::vector<Listener> listeners, ServerLimits limits, RequestHandler& handler)
    : state_(std::make_unique<State>(std::move(listeners), limits, handler)) {}

HttpServer::~HttpServer() { stop(0); }

void HttpServer::start() { state_->reception.start(); }

std::vector<ListenAddress> HttpServer::addresses() const {
  std::vector<ListenAddress> out;
  for (const Listener& listener : state_->reception.listeners()) out.push_back(listener.address);
  return out;
}

int HttpServer::connections_open() const { return state_->reception.connections_open(); }
int HttpServer::requests_running() const { return state_->workers.busy(); }

void HttpServer::stop(int64_t grace_ms) {
  constexpr int64_t kPollMs = 10;
  const int64_t until = system_clock().now_ns() + grace_ms * 1'000'000;
  while (state_->workers.busy() > 0 && system_clock().now_ns() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
  state_->reception.stop();
  state_->abort = true;
  state_->workers.stop();
}

}  // namespace ondol::api
