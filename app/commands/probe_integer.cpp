// The instructions are written out: a compiler that sees through a loop of intrinsics would leave nothing to
// measure.
#include "app/commands/probe_integer.h"

#include <algorithm>
#include <cstdint>

#include "core/base/clock.h"
#include "core/base/thread_team.h"

namespace ondol::commands {
namespace {

struct Probe {
  const char* instruction;
  int64_t ops_per_iteration;
  void (*run)(int64_t iterations);
};

#if defined(__x86_64__)

using Vector128 = int32_t __attribute__((vector_size(16)));
using Vector256 = int32_t __attribute__((vector_size(32)));
using Vector512 = int32_t __attribute__((vector_size(64)));

constexpr int kSums = 10;      // independent sums: more than latency times units of any processor so far
constexpr int kSumsWide = 20;  // with 32 registers

void run_ssse3(int64_t iterations) {
  Vector128 sums[kSums] = {};
  const Vector128 a{}, b{}, ones{};
  for (int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 10
    for (int s = 0; s < kSums; ++s) {
      Vector128 product = a;
      __asm__ volatile("pmaddubsw %2, %0\n\tpmaddwd %3, %0\n\tpaddd %0, %1"
                       : "+x"(product), "+x"(sums[s])
                       : "x"(b), "x"(ones));
    }
  }
}

__attribute__((target("avx2"))) void run_avx2(int64_t iterations) {
  Vector256 sums[kSums] = {};
  const Vector256 a{}, b{}, ones{};
  for (int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 10
    for (int s = 0; s < kSums; ++s) {
      Vector256 product;
      __asm__ volatile("vpmaddubsw %3, %2, %0\n\tvpmaddwd %4, %0, %0\n\tvpaddd %0, %1, %1"
                       : "=&x"(product), "+x"(sums[s])
                       : "x"(a), "x"(b), "x"(ones));
    }
  }
}

__attribute__((target("avx2"))) void run_avx_vnni(int64_t iterations) {
  Vector256 sums[kSums] = {};
  const Vector256 a{}, b{};
  for (int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 10
    for (int s = 0; s < kSums; ++s) {
      __asm__ volatile("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sums[s]) : "x"(a), "x"(b));
    }
  }
}

__attribute__((target("avx512f,avx512bw"))) void run_avx512(int64_t iterations) {
  Vector512 sums[kSumsWide] = {};
  const Vector512 a{}, b{}, ones{};
  for (int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 20
    for (int s = 0; s < kSumsWide; ++s) {
      Vector512 product;
      __asm__ volatile("vpmaddubsw %3, %2, %0\n\tvpmaddwd %4, %0, %0\n\tvpaddd %0, %1, %1"
                       : "=&v"(product), "+v"(sums[s])
                       : "v"(a), "v"(b), "v"(ones));
    }
  }
}

__attribute__((target("avx512f"))) void run_avx512_vnni(int64_t iterations) {
  Vector512 sums[kSumsWide] = {};
  const Vector512 a{}, b{};
  for (int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 20
    for (int s = 0; s < kSumsWide; ++s) {
      __asm__ volatile("vpdpbusd %2, %1, %0" : "+v"(sums[s]) : "v"(a), "v"(b));
    }
  }
}

constexpr int64_t ops(int sums, int bytes) { return int64_t{2} * sums * bytes; }

// Several may run; which is the fastest depends on the processor.
template <class Visit>
void visit_probes(Visit visit) {
  if (__builtin_cpu_supports("avx512vnni"))
    visit(Probe{"vpdpbusd, 512 bits", ops(kSumsWide, 64), run_avx512_vnni});
  if (__builtin_cpu_supports("avx512bw"))
    visit(Probe{"vpmaddubsw, 512 bits", ops(kSumsWide, 64), run_avx512});
  if (__builtin_cpu_supports("avxvnni")) visit(Probe{"vpdpbusd, 256 bits", ops(kSums, 32), run_avx_vnni});
  if (__builtin_cpu_supports("avx2")) visit(Probe{"vpmaddubsw, 256 bits", ops(kSums, 32), run_avx2});
  if (__builtin_cpu_supports("ssse3")) visit(Probe{"pmaddubsw, 128 bits", ops(kSums, 16), run_ssse3});
}

#else

template <class Visit>
void visit_probes(Visit) {}

#endif

double ops_per_s(const Probe& probe, ThreadTeam& team, int rounds) {
  constexpr int64_t kRoundNs = 40'000'000;
  double best = 0;
  int64_t iterations = 1 << 12;
  for (int round = 0; round < rounds;) {
    const int64_t started_ns = system_clock().now_ns();
    team.run([&](int, int) { probe.run(iterations); });
    const int64_t taken_ns = std::max<int64_t>(1, system_clock().now_ns() - started_ns);
    if (taken_ns < kRoundNs / 2 && iterations < int64_t{1} << 40) {  // too short to be told from noise
      iterations *= 2;
      continue;
    }
    const double done =
        static_cast<double>(probe.ops_per_iteration) * static_cast<double>(iterations) * team.threads();
    best = std::max(best, done * 1e9 / static_cast<double>(taken_ns));
    ++round;
  }
  return best;
}

}  // namespace

IntegerPeak measure_integer_peak(int threads, int rounds) {
  IntegerPeak peak;
  ThreadTeam team(threads);
  visit_probes([&](const Probe& probe) {
    const double measured = ops_per_s(probe, team, rounds);
    if (measured > peak.ops_per_s) peak = {measured, probe.instruction, threads};
  });
  return peak;
}

}  // namespace ondol::commands
