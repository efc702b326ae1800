#include "app/api/reception.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/base/clock.h"

namespace ondol::api {
namespace {

constexpr int kEventsPerWait = 64;
constexpr int kTickMs = 200;  // how exact deadlines are
constexpr int kAcceptsPerTurn = 64;
constexpr int64_t kEvictAfterNs =
    1'000'000'000;  // a waiting connection this old gives way when all are taken

int64_t ns(int64_t ms) { return ms * 1'000'000; }

void begin_wait(Connection& connection, int64_t allowed_ms) {
  connection.since_ns = system_clock().now_ns();
  connection.deadline_ns = connection.since_ns + ns(allowed_ms);
}

// Numeric. An IPv4 client of an IPv6 listener has its IPv4 address.
std::string peer_text(const sockaddr_storage& peer) {
  char text[INET6_ADDRSTRLEN] = "unix";
  if (peer.ss_family == AF_INET)
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(peer).sin_addr, text, sizeof(text));
  if (peer.ss_family == AF_INET6) {
    const in6_addr& address = reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr;
    constexpr size_t mapped_at = 12;
    if (IN6_IS_ADDR_V4MAPPED(&address))
      inet_ntop(AF_INET, address.s6_addr + mapped_at, text, sizeof(text));
    else
      inet_ntop(AF_INET6, &address, text, sizeof(text));
  }
  return text;
}

const char* reason(int status) {
  switch (status) {
    case 400: return "Bad Request";
    case 408: return "Request Timeout";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 431: return "Request Header Fields Too Large";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Error";
  }
}

}  // namespace

Reception::Reception(std::vector<Listener> listeners, ServerLimits limits, ReceptionCallbacks callbacks)
    : listeners_(std::move(listeners)),
      limits_(limits),
      callbacks_(std::move(callbacks)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Reception::~Reception() { stop(); }

void Reception::start() {
  const auto add = [&](int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    CHECK(epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0);
  };
  add(wake_.get());
  for (const Listener& listener : listeners_) add(listener.socket.get());
  thread_ = std::thread([this] { run(); });
}

void Reception::stop() {
  if (stopping_.exchange(true) || !thread_.joinable()) return;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof(one));
  thread_.join();
  listeners_.clear();
  open_.fetch_sub(static_cast<int>(waiting_.size()));
  waiting_.clear();
  const std::lock_guard lock(returned_mutex_);
  open_.fetch_sub(static_cast<int>(returned_.size()));
  returned_.clear();
}

void Reception::give_back(std::unique_ptr<Connection> connection) {
  {
    const std::lock_guard lock(returned_mutex_);
    if (stopping_) {
      open_.fetch_sub(1);
      return;
    }
    returned_.push_back(std::move(connection));
  }
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof(one));
}

void Reception::run() {
  std::array<epoll_event, kEventsPerWait> events;
  int64_t next_tick_ns = 0;
  while (!stopping_) {
    const int count = epoll_wait(epoll_.get(), events.data(), kEventsPerWait, kTickMs);
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<size_t>(i)].data.fd;
      if (fd == wake_.get()) {
        uint64_t ignored;
        [[maybe_unused]] const ssize_t got = read(fd, &ignored, sizeof(ignored));
        continue;
      }
      const auto listener = std::find_if(listeners_.begin(), listeners_.end(),
                                         [&](const Listener& l) { return l.socket.get() == fd; });
      if (listener != listeners_.end())
        accept_from(*listener);
      else if (waiting_.contains(fd))
        readable(fd);
    }
    std::vector<std::unique_ptr<Connection>> returned;
    {
      const std::lock_guard lock(returned_mutex_);
      returned.swap(returned_);
    }
    for (auto& connection : returned) {
      if (connection->closing) {
        begin_close(std::move(connection));
        continue;
      }
      const bool next_began = !connection->received.empty();
      begin_wait(*connection, next_began ? limits_.head_timeout_ms : limits_.idle_timeout_ms);
      if (next_began && head_ready(connection)) continue;  // a pipelined request
      watch(std::move(connection));
    }
    const int64_t now = system_clock().now_ns();
    if (now >= next_tick_ns) {
      expire(now);
      next_tick_ns = now + ns(kTickMs);
    }
  }
}

void Reception::accept_from(const Listener& listener) {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    sockaddr_storage peer{};
    socklen_t peer_bytes = sizeof(peer);
    Descriptor socket(accept4(listener.socket.get(), reinterpret_cast<sockaddr*>(&peer), &peer_bytes,
                              SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.valid()) {
      // Out of descriptors: the pending connection stays pending; make room rather than spin.
      if (errno == EMFILE || errno == ENFILE) make_room();
      return;
    }
    auto connection = std::make_unique<Connection>();
    connection->over_unix_socket = listener.address.kind == ListenKind::kUnix;
    connection->peer = peer_text(peer);
    const int on = 1;
    if (!connection->over_unix_socket) setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    const int send_bytes = static_cast<int>(limits_.send_buffer_bytes);
    setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &send_bytes, sizeof(send_bytes));
    connection->socket = std::move(socket);
    begin_wait(*connection, limits_.head_timeout_ms);
    if (open_.fetch_add(1) >= limits_.connections_max) {
      make_room();
      if (open_.load() > limits_.connections_max) {
        answer_and_close(std::move(connection), 503, "too many connections; try again soon");
        continue;
      }
    }
    watch(std::move(connection));
  }
}

// All places are taken: whoever has waited longest without sending a request gives way.
void Reception::make_room() {
  int oldest = -1;
  int64_t oldest_since_ns = 0;
  const int64_t now = system_clock().now_ns();
  for (const auto& [fd, connection] : waiting_) {
    if (now - connection->since_ns < kEvictAfterNs && !connection->closing) continue;
    if (oldest < 0 || connection->since_ns < oldest_since_ns)
      oldest = fd, oldest_since_ns = connection->since_ns;
  }
  if (oldest >= 0) drop(oldest);
}

void Reception::watch(std::unique_ptr<Connection> connection) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  event.data.fd = connection->socket.get();
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connection->socket.get(), &event) != 0) {
    open_.fetch_sub(1);
    return;
  }
  const int fd = connection->socket.get();
  waiting_[fd] = std::move(connection);
}

std::unique_ptr<Connection> Reception::take(int fd) {
  const auto found = waiting_.find(fd);
  auto connection = std::move(found->second);
  waiting_.erase(found);
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  return connection;
}

void Reception::drop(int fd) {
  take(fd);
  open_.fetch_sub(1);
}

void Reception::readable(int fd) {
  Connection& connection = *waiting_[fd];
  char buffer[4096];
  for (;;) {
    const ssize_t got = recv(fd, buffer, sizeof(buffer), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got <= 0) return drop(fd);
    if (connection.closing) {
      connection.lingered_bytes += got;
      if (connection.lingered_bytes > limits_.linger_bytes_max) return drop(fd);
      continue;
    }
    if (connection.received.empty()) begin_wait(connection, limits_.head_timeout_ms);
    connection.received.append(buffer, static_cast<size_t>(got));
    auto owned = take(fd);
    if (head_ready(owned)) return;
    watch(std::move(owned));
    if (!waiting_.contains(fd)) return;
  }
}

// True when the connection was taken over (by a worker, or to be closed).
bool Reception::head_ready(std::unique_ptr<Connection>& connection) {
  std::string& received = connection->received;
  // Empty lines before a request are allowed (RFC 9112, 2.2); a few of them.
  while (received.starts_with("\r\n")) received.erase(0, 2);
  const size_t bytes = head_bytes(received);
  if (bytes == 0) {
    if (static_cast<int64_t>(received.size()) <= limits_.head_bytes_max) return false;
    answer_and_close(std::move(connection), 431, "the headers are too long");
    return true;
  }
  if (static_cast<int64_t>(bytes) > limits_.head_bytes_max) {
    answer_and_close(std::move(connection), 431, "the headers are too long");
    return true;
  }
  HeadResult result = parse_head(std::string_view(received).substr(0, bytes));
  if (result.status == 0 && !result.head.content_encoding.empty() &&
      result.head.content_encoding != "identity") {
    result.status = 415;
    result.problem = "compressed request bodies are not accepted";
  }
  if (result.status == 0 &&
      result.head.content_length.value_or(0) > static_cast<uint64_t>(limits_.body_bytes_max)) {
    result.status = 413;
    result.problem = "the request body is larger than " + std::to_string(limits_.body_bytes_max) + " bytes";
  }
  if (result.status != 0) {
    answer_and_close(std::move(connection), result.status, result.problem);
    return true;
  }
  connection->head = std::move(result.head);
  if (!callbacks_.dispatch(connection))
    answer_and_close(std::move(connection), 503, "the server is busy; try again soon");
  return true;
}

void Reception::answer_and_close(std::unique_ptr<Connection> connection, int status,
                                 const std::string& message) {
  const std::string body = callbacks_.error_body(status, message);
  std::string answer = "HTTP/1.1 " + std::to_string(status) + " " + reason(status) +
                       "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
                       std::to_string(body.size()) + (status == 503 ? "\r\nRetry-After: 1" : "") +
                       "\r\n\r\n" + body;
  [[maybe_unused]] const ssize_t sent =
      send(connection->socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  callbacks_.answered(status, connection->peer);
  begin_close(std::move(connection));
}

// Closing with unread bytes would reset the connection and destroy the answer on its way.
void Reception::begin_close(std::unique_ptr<Connection> connection) {
  connection->closing = true;
  connection->received.clear();
  shutdown(connection->socket.get(), SHUT_WR);
  begin_wait(*connection, limits_.linger_ms);
  watch(std::move(connection));
}

void Reception::expire(int64_t now_ns) {
  std::vector<int> late;
  for (const auto& [fd, connection] : waiting_) {
    if (now_ns >= connection->deadline_ns) late.push_back(fd);
  }
  for (const int fd : late) {
    if (waiting_[fd]->closing || waiting_[fd]->received.empty())
      drop(fd);
    else
      answer_and_close(take(fd), 408, "the request did not arrive in time");
  }
}

}  // namespace ondol::api
