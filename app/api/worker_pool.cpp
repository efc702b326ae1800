#include "app/api/worker_pool.h"

namespace ondol::api {
namespace {
constexpr size_t kStackBytes = 1 << 20;  // address space; only what is touched costs memory
}

WorkerPool::WorkerPool(int workers_max, int workers_reserved, std::function<Serve()> make_worker)
    : workers_max_(workers_max), workers_reserved_(workers_reserved), make_worker_(std::move(make_worker)) {}

WorkerPool::~WorkerPool() { stop(); }

bool WorkerPool::enqueue(std::unique_ptr<Connection>& connection, bool urgent) {
  const std::lock_guard lock(mutex_);
  const int limit = workers_max_ + (urgent ? workers_reserved_ : 0);
  if (stopping_ || busy_ >= limit) return false;
  if (busy_ >= static_cast<int>(threads_.size())) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    pthread_t thread;
    const int error = pthread_create(&thread, &attributes, &thread_main, this);
    pthread_attr_destroy(&attributes);
    if (error != 0) return false;
    threads_.push_back(thread);
  }
  ++busy_;
  queue_.push_back(std::move(connection));
  wake_.notify_one();
  return true;
}

int WorkerPool::busy() const {
  const std::lock_guard lock(mutex_);
  return busy_;
}

void WorkerPool::stop() {
  std::vector<pthread_t> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    threads.swap(threads_);
  }
  wake_.notify_all();
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
}

void* WorkerPool::thread_main(void* pool) {
  static_cast<WorkerPool*>(pool)->work();
  return nullptr;
}

void WorkerPool::work() {
  const Serve serve = make_worker_();
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    auto connection = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    serve(std::move(connection));
    lock.lock();
    --busy_;
  }
}

}  // namespace ondol::api
