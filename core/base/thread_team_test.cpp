#include "core/base/thread_team.h"

#include <doctest/doctest.h>
#include <sched.h>
#include <time.h>

#include <chrono>
#include <numeric>
#include <vector>

#include "core/base/cpu_budget.h"

namespace ondol {
namespace {

TEST_CASE("thread team: every thread runs once a run, the caller as thread 0") {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadTeam team(threads);
    CHECK_EQ(team.threads(), threads);
    std::vector<int> calls(static_cast<size_t>(threads));
    const auto caller = std::this_thread::get_id();
    bool caller_is_first = false;
    for (int run = 0; run < 200; ++run) {
      team.run([&](int thread, int count) {
        if (count == threads) ++calls[static_cast<size_t>(thread)];
        if (thread == 0) caller_is_first = std::this_thread::get_id() == caller;
      });
    }
    CHECK(caller_is_first);
    CHECK_EQ(calls, std::vector<int>(static_cast<size_t>(threads), 200));
  }
}

TEST_CASE("thread team: after a barrier each thread sees what the others wrote before it") {
  for (const int threads : {2, 4, 7}) {
    ThreadTeam team(threads);
    std::vector<int64_t> written(static_cast<size_t>(threads));
    std::vector<int> wrong(static_cast<size_t>(threads));
    team.run([&](int thread, int count) {
      for (int64_t round = 1; round <= 300; ++round) {
        written[static_cast<size_t>(thread)] = round;
        team.barrier();
        const int64_t sum = std::accumulate(written.begin(), written.end(), int64_t{0});
        wrong[static_cast<size_t>(thread)] += sum != round * count;
        team.barrier();
      }
    });
    CHECK_EQ(std::accumulate(wrong.begin(), wrong.end(), 0), 0);
  }
}

TEST_CASE("thread team: workers that fell asleep wake for the next run") {
  ThreadTeam team(3);
  std::vector<int> calls(3);
  for (int run = 0; run < 5; ++run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    team.run([&](int thread, int) { ++calls[static_cast<size_t>(thread)]; });
  }
  CHECK_EQ(calls, std::vector<int>{5, 5, 5});
}

TEST_CASE("thread team: a slow thread is waited for, also when the others have gone to sleep") {
  ThreadTeam team(3);
  int done = 0;
  for (const int slow : {0, 2}) {
    team.run([&](int thread, int) {
      if (thread == slow) std::this_thread::sleep_for(std::chrono::milliseconds(8));
      team.barrier();
      if (thread == slow) {
        std::this_thread::sleep_for(std::chrono::milliseconds(8));
        ++done;
      }
    });
  }
  CHECK_EQ(done, 2);
}

TEST_CASE("thread team: an idle team uses next to no processor time") {
  ThreadTeam team(4);
  team.run([](int, int) {});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  timespec before{};
  timespec after{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  const int64_t used_ns = (after.tv_sec - before.tv_sec) * 1'000'000'000LL + after.tv_nsec - before.tv_nsec;
  CHECK_LT(used_ns, 20'000'000);
}

TEST_CASE("thread team: eight times more threads than cores still finishes a thousand barriers") {
  const int threads = 8 * cpu_budget(real_file_system()).hardware_threads;
  ThreadTeam team(threads < 64 ? threads : 64);
  std::vector<int> rounds(static_cast<size_t>(team.threads()));
  const auto begin = std::chrono::steady_clock::now();
  team.run([&](int thread, int) {
    for (int i = 0; i < 1000; ++i) {
      ++rounds[static_cast<size_t>(thread)];
      team.barrier();
    }
  });
  const auto took = std::chrono::steady_clock::now() - begin;
  CHECK_EQ(std::accumulate(rounds.begin(), rounds.end(), 0), 1000 * team.threads());
  CHECK_LT(std::chrono::duration_cast<std::chrono::seconds>(took).count(),
           20);  // collapse would take minutes
}

TEST_CASE("thread team: any thread may lead a run, one at a time") {
  ThreadTeam team(2);
  int calls = 0;
  for (int leader = 0; leader < 3; ++leader) {
    std::thread([&] {
      team.run([&](int thread, int) {
        if (thread == 0) ++calls;
      });
    }).join();
  }
  CHECK_EQ(calls, 3);
}

TEST_CASE("default threads: the affinity mask is honoured") {
  cpu_set_t all;
  REQUIRE_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &all)) {
        CPU_SET(cpu, &one);
        break;
      }
    }
    REQUIRE_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    CHECK_EQ(default_threads(), 1);
  }).join();
  CHECK_GE(default_threads(), 1);
}

}  // namespace
}  // namespace ondol
