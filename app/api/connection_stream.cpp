#include "app/api/connection_stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/clock.h"

namespace ondol::api {
namespace {
constexpr int64_t kWaitSliceMs = 100;  // how soon a wait notices an abort
int64_t now_ms() { return system_clock().now_ns() / 1'000'000; }
}  // namespace

ConnectionStream::ConnectionStream(Connection& connection, const ServerLimits& limits,
                                   std::atomic<int64_t>& bodies_bytes, const std::atomic<bool>& abort)
    : connection_(connection),
      limits_(limits),
      bodies_bytes_(bodies_bytes),
      abort_(abort),
      read_deadline_ns_(system_clock().now_ns() + limits.body_timeout_ms * 1'000'000) {}

ConnectionStream::~ConnectionStream() {
  connection_.received.erase(0, consumed_);
  bodies_bytes_.fetch_sub(counted_bytes_);
}

// >0: ready; 0: time is up; <0: closed or aborted.
int ConnectionStream::wait(short events, int64_t timeout_ms) const {
  const int64_t until = now_ms() + timeout_ms;
  for (;;) {
    if (abort_) return -1;
    const int64_t left = until - now_ms();
    if (left <= 0) return 0;
    pollfd entry{connection_.socket.get(), events, 0};
    const int ready = poll(&entry, 1, static_cast<int>(std::min(left, kWaitSliceMs)));
    if (ready < 0 && errno != EINTR) return -1;
    if (ready <= 0) continue;
    if (entry.revents & events) return 1;
    return -1;  // POLLHUP, POLLERR
  }
}

bool ConnectionStream::gone() const {
  if (abort_) return true;
  pollfd entry{connection_.socket.get(), POLLRDHUP, 0};
  return poll(&entry, 1, 0) > 0 && (entry.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

bool ConnectionStream::is_readable() const {
  return consumed_ < connection_.received.size() || wait(POLLIN, limits_.read_idle_timeout_ms) > 0;
}

// The library asks before every write; write() itself waits and knows better.
bool ConnectionStream::is_writable() const { return !write_failed_ && !gone(); }

ssize_t ConnectionStream::read(char* out, size_t bytes) {
  if (consumed_ < connection_.received.size()) {
    const size_t count = std::min(bytes, connection_.received.size() - consumed_);
    std::memcpy(out, connection_.received.data() + consumed_, count);
    consumed_ += count;
    return static_cast<ssize_t>(count);
  }
  if (read_problem_ != 0) return -1;
  for (;;) {
    const int64_t left_ms = read_deadline_ns_ / 1'000'000 - now_ms();
    const int ready = left_ms > 0 ? wait(POLLIN, std::min(left_ms, limits_.read_idle_timeout_ms)) : 0;
    if (ready <= 0) {
      read_problem_ = ready == 0 ? 408 : 400;
      return -1;
    }
    const ssize_t got = recv(connection_.socket.get(), out, bytes, 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) continue;
    if (got <= 0) {
      read_problem_ = 400;
      return got;
    }
    counted_bytes_ += got;
    if (bodies_bytes_.fetch_add(got) + got > limits_.bodies_bytes_max) {
      read_problem_ = 503;
      return -1;
    }
    return got;
  }
}

ssize_t ConnectionStream::write(const char* data, size_t bytes) {
  if (write_failed_) return -1;
  if (status_ == 0 && bytes >= 12 && std::memcmp(data, "HTTP/1.1 ", 9) == 0 &&
      std::memcmp(data + 9, "100", 3) != 0)
    status_ = (data[9] - '0') * 100 + (data[10] - '0') * 10 + (data[11] - '0');
  const int64_t rate = std::max<int64_t>(1, limits_.write_bytes_per_s_min);
  const int64_t until = now_ms() + limits_.write_timeout_ms + static_cast<int64_t>(bytes) * 1000 / rate;
  int64_t progress_ms = now_ms();
  size_t sent = 0;
  while (sent < bytes) {
    const ssize_t count = send(connection_.socket.get(), data + sent, bytes - sent, MSG_NOSIGNAL);
    if (count > 0) {
      sent += static_cast<size_t>(count);
      progress_ms = now_ms();
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    const bool full = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    const int64_t left = std::min(until, progress_ms + limits_.write_timeout_ms) - now_ms();
    if (!full || left <= 0 || wait(POLLOUT, left) <= 0) {
      write_failed_ = true;
      return -1;
    }
  }
  return static_cast<ssize_t>(bytes);
}

}  // namespace ondol::api
