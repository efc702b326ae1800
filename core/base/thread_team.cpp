#include "core/base/thread_team.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <cstdio>

#include "core/base/check.h"
#include "core/base/cpu_budget.h"

namespace ondol {
namespace {

// A phase of a forward pass takes from a few to some hundred microseconds: threads that wait for the
// next one should find it while they spin. Yielding bridges the pauses between tokens (sampling).
constexpr auto kSpin = std::chrono::microseconds(40);
constexpr auto kYield = std::chrono::milliseconds(1);

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Signals belong to the program's own threads. Faults stay: blocking them would end the process silently.
void block_signals() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS})
    sigdelset(&signals, fault);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

void ThreadTeam::Gate::advance() {
  value_.fetch_add(1, std::memory_order_seq_cst);
  // Either this sees the sleeper, or the sleeper, who counts itself first, sees the new value.
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  { const std::lock_guard lock(mutex_); }
  changed_.notify_all();
}

void ThreadTeam::Gate::wait_while(uint32_t seen) {
  using Time = std::chrono::steady_clock;
  if (value() != seen) return;
  const Time::time_point begin = Time::now();
  while (spins && Time::now() - begin < kSpin) {
    for (int i = 0; i < 16; ++i) {
      if (value() != seen) return;
      pause();
    }
  }
  while (Time::now() - begin < kYield) {
    if (value() != seen) return;
    std::this_thread::yield();
  }
  std::unique_lock lock(mutex_);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  changed_.wait(lock, [&] { return value_.load(std::memory_order_seq_cst) != seen; });
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

ThreadTeam::ThreadTeam(int threads) : threads_(threads) {
  CHECK(threads >= 1 && threads <= kThreadsMax);
  // With more threads than the machine lends, a spinning one keeps a working one from its core.
  const bool spins = threads <= cpu_budget(real_file_system()).hardware_threads;
  for (Gate* gate : {&started_, &finished_, &passed_}) gate->spins = spins;
  workers_.reserve(static_cast<size_t>(threads - 1));
  for (int thread = 1; thread < threads; ++thread) workers_.emplace_back([this, thread] { worker(thread); });
}

ThreadTeam::~ThreadTeam() {
  CHECK(!in_run_.load());
  stopping_ = true;
  started_.advance();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadTeam::worker(int thread) {
  block_signals();
  char name[16];
  std::snprintf(name, sizeof name, "ondol-team-%d", thread);
  pthread_setname_np(pthread_self(), name);
  for (uint32_t run = 0;; ++run) {
    started_.wait_while(run);
    if (stopping_) return;
    (*work_)(thread, threads_);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) finished_.advance();
  }
}

void ThreadTeam::run(Work work) {
  CHECK(!in_run_.exchange(true));
  if (threads_ == 1) {
    work(0, 1);
    in_run_.store(false);
    return;
  }
  const uint32_t finished = finished_.value();
  work_ = &work;
  running_.store(threads_ - 1, std::memory_order_relaxed);
  started_.advance();
  work(0, threads_);
  finished_.wait_while(finished);
  work_ = nullptr;
  in_run_.store(false);
}

void ThreadTeam::barrier() {
  if (threads_ == 1) return;
  const uint32_t passed = passed_.value();
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) == threads_ - 1) {
    arrived_.store(0, std::memory_order_relaxed);
    passed_.advance();
  } else {
    passed_.wait_while(passed);
  }
}

int default_threads() { return cpu_budget(real_file_system()).threads(); }

}  // namespace ondol
