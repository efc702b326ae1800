// The thread that accepts connections and waits for the heads of requests, for all connections at once
// (epoll): a client that sends slowly or nothing costs some bytes, never a thread. A whole head is checked
// here (sizes, encodings) and goes to a worker; what must be refused at once is refused here. After an answer
// the connection comes back. Threads: start/stop by the owner; give_back() from any thread; everything else
// on the reception's own thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "app/api/connection.h"
#include "app/api/server_limits.h"

namespace ondol::api {

struct ReceptionCallbacks {
  // Takes the connection (leaves null) or refuses: all workers are busy.
  std::function<bool(std::unique_ptr<Connection>&)> dispatch;
  // The JSON body of an error that is answered here.
  std::function<std::string(int status, const std::string& message)> error_body;
  // Counts an answer that was given here.
  std::function<void(int status, const std::string& client)> answered;
};

class Reception {
 public:
  Reception(std::vector<Listener> listeners, ServerLimits limits, ReceptionCallbacks callbacks);
  ~Reception();
  Reception(const Reception&) = delete;
  Reception& operator=(const Reception&) = delete;

  void start();
  // Closes the listeners and every waiting connection; connections given back later are closed.
  void stop();
  // A worker is done with the connection: it waits for its next request, or closes when `closing` is set.
  void give_back(std::unique_ptr<Connection> connection);
  // A worker closed it (or lost it): only the count changes.
  void forget() { open_.fetch_sub(1); }

  const std::vector<Listener>& listeners() const { return listeners_; }
  int connections_open() const { return open_.load(); }

 private:
  void run();
  void accept_from(const Listener& listener);
  void make_room();
  void watch(std::unique_ptr<Connection> connection);
  void readable(int fd);
  bool head_ready(std::unique_ptr<Connection>& connection);
  void answer_and_close(std::unique_ptr<Connection> connection, int status, const std::string& message);
  void begin_close(std::unique_ptr<Connection> connection);
  void expire(int64_t now_ns);
  std::unique_ptr<Connection> take(int fd);
  void drop(int fd);

  std::vector<Listener> listeners_;
  const ServerLimits limits_;
  const ReceptionCallbacks callbacks_;
  Descriptor epoll_, wake_;
  std::unordered_map<int, std::unique_ptr<Connection>> waiting_;  // reception thread only
  std::atomic<int> open_{0};
  std::atomic<bool> stopping_{false};
  std::mutex returned_mutex_;
  std::vector<std::unique_ptr<Connection>> returned_;  // guarded by returned_mutex_
  std::thread thread_;
};

}  // namespace ondol::api
