// Threads that serve one request at a time each. They are started when they are needed, have small stacks,
// and number at most `workers_max`, and `workers_reserved` more for urgent work (health), so that open
// streams never keep a health check waiting. Threads: enqueue() and stop() from any thread.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "app/api/connection.h"

namespace ondol::api {

class WorkerPool {
 public:
  using Serve = std::function<void(std::unique_ptr<Connection>)>;
  // `make_worker` runs once on each new thread and gives what that thread does with a connection.
  WorkerPool(int workers_max, int workers_reserved, std::function<Serve()> make_worker);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // False, and the connection stays the caller's, when all workers are busy.
  bool enqueue(std::unique_ptr<Connection>& connection, bool urgent);
  int busy() const;
  // Waits for the requests in progress; nothing may be enqueued after.
  void stop();

 private:
  static void* thread_main(void* pool);
  void work();

  const int workers_max_, workers_reserved_;
  const std::function<Serve()> make_worker_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable wake_;
  std::deque<std::unique_ptr<Connection>> queue_;
  std::vector<pthread_t> threads_;
  int busy_ = 0;  // queued or being served
  bool stopping_ = false;
};

}  // namespace ondol::api
