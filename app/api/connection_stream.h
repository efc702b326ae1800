// The HTTP library's view of one connection: what was already received comes first, every wait has a limit,
// and what is read of bodies counts against a shared budget. One worker thread.
#pragma once

#include <atomic>

#include "app/api/connection.h"
#include "app/api/http_types.h"
#include "app/api/httplib_options.h"
#include "app/api/server_limits.h"

namespace ondol::api {

class ConnectionStream final : public httplib::Stream, public Client {
 public:
  ConnectionStream(Connection& connection, const ServerLimits& limits, std::atomic<int64_t>& bodies_bytes,
                   const std::atomic<bool>& abort);
  ~ConnectionStream() override;

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* out, size_t bytes) override;
  ssize_t write(const char* data, size_t bytes) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override { ip.clear(), port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const override { ip.clear(), port = 0; }
  socket_t socket() const override { return connection_.socket.get(); }

  bool gone() const override;
  // The status line that was written, 0 before.
  int status() const { return status_; }
  bool read_failed() const { return read_problem_ != 0; }
  // 408: the body came too slowly; 503: too much is being read at once; 0: neither.
  int read_problem() const { return read_problem_; }
  bool write_failed() const { return write_failed_; }

 private:
  int wait(short events, int64_t timeout_ms) const;

  Connection& connection_;
  const ServerLimits& limits_;
  std::atomic<int64_t>& bodies_bytes_;
  const std::atomic<bool>& abort_;
  size_t consumed_ = 0;
  int64_t counted_bytes_ = 0;
  int64_t read_deadline_ns_;
  int status_ = 0;
  int read_problem_ = 0;
  bool write_failed_ = false;
};

}  // namespace ondol::api
