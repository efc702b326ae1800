// A fixed team of threads that runs one piece of work at a time, all threads together: the way a
// forward pass uses the cores. Waiting threads spin briefly, then yield, then sleep, so that an idle
// team costs nothing and an oversubscribed machine keeps moving.
// Threads: run() from one thread at a time, never from inside itself; that thread is thread 0.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/function_ref.h"

namespace ondol {

class ThreadTeam {
 public:
  using Work = FunctionRef<void(int thread, int threads)>;

  static constexpr int kThreadsMax = 1024;

  // Starts threads-1 workers; 1 <= threads <= kThreadsMax. Workers inherit the caller's CPU affinity.
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int threads() const { return threads_; }

  // Calls work(thread, threads) on every thread of the team, thread 0 being the caller; returns when
  // all are done. What the caller wrote before is visible to the work, and the work's writes after.
  void run(Work work);

  // Inside run(): waits until every thread of the team has called it as often. All threads must.
  void barrier();

 private:
  // A number that others wait to see changed.
  class Gate {
   public:
    uint32_t value() const { return value_.load(std::memory_order_acquire); }
    void advance();
    void wait_while(uint32_t seen);
    bool spins = true;  // set before the first wait

   private:
    alignas(64) std::atomic<uint32_t> value_{0};
    std::atomic<int> sleepers_{0};
    std::mutex mutex_;
    std::condition_variable changed_;
  };

  void worker(int thread);

  const int threads_;
  Gate started_;                             // advanced once a run, and once to end
  Gate finished_;                            // advanced by the last worker of a run
  Gate passed_;                              // advanced by the last thread at a barrier
  alignas(64) std::atomic<int> running_{0};  // workers that have not finished this run
  alignas(64) std::atomic<int> arrived_{0};  // threads that stand at the barrier
  const Work* work_ = nullptr;               // written before started_, read after
  bool stopping_ = false;                    // likewise
  std::atomic<bool> in_run_{false};
  std::vector<std::thread> workers_;
};

// How many threads a team should have by default here: see cpu_budget.h. At least 1.
int default_threads();

}  // namespace ondol
