#include "app/commands/probe_bandwidth.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "core/base/clock.h"
#include "core/base/thread_team.h"

namespace ondol::commands {
namespace {

constexpr int64_t kBufferBytesMin = int64_t{256} << 20;
constexpr int64_t kBufferBytesMax = int64_t{2} << 30;
constexpr int64_t kSliceBytes = 4096;  // slices are whole pages, so every loop below ends exactly

using Vector = uint64_t __attribute__((vector_size(16)));

struct Sum {
  Vector a{}, b{}, c{}, d{};
  void add(const std::byte* line) {
    const auto* at = reinterpret_cast<const Vector*>(line);
    a += at[0];
    b += at[1];
    c += at[2];
    d += at[3];
  }
  uint64_t total() const {
    const Vector sum = a + b + c + d;
    return sum[0] + sum[1];
  }
};

uint64_t read_sequential(const std::byte* slice, int64_t bytes) {
  Sum sum;
  for (int64_t i = 0; i < bytes; i += 64) sum.add(slice + i);
  return sum.total();
}

template <int64_t kStreams>
uint64_t read_streams(const std::byte* slice, int64_t bytes) {
  Sum sum;
  const int64_t stream = bytes / kStreams;
  for (int64_t i = 0; i < stream; i += 64) {
    for (int64_t s = 0; s < kStreams; ++s) sum.add(slice + s * stream + i);
  }
  return sum.total();
}

template <int64_t kAheadBytes>
uint64_t read_prefetching(const std::byte* slice, int64_t bytes) {
  Sum sum;
  for (int64_t i = 0; i < bytes; i += 64) {
    __builtin_prefetch(slice + std::min(i + kAheadBytes, bytes - 64), 0, 3);
    sum.add(slice + i);
  }
  return sum.total();
}

struct Pattern {
  const char* name;
  uint64_t (*read)(const std::byte* slice, int64_t bytes);
};
constexpr Pattern kPatterns[] = {
    {"sequential", read_sequential},
    {"4 streams", read_streams<4>},
    {"8 streams", read_streams<8>},
    {"prefetch 1 KiB ahead", read_prefetching<1024>},
    {"prefetch 4 KiB ahead", read_prefetching<4096>},
};

class Buffer {
 public:
  explicit Buffer(int64_t bytes) : bytes_(bytes) {
    memory_ = ::mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                     -1, 0);
    if (valid()) ::madvise(memory_, static_cast<size_t>(bytes), MADV_HUGEPAGE);
  }
  ~Buffer() {
    if (valid()) ::munmap(memory_, static_cast<size_t>(bytes_));
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  bool valid() const { return memory_ != MAP_FAILED; }
  std::byte* data() const { return static_cast<std::byte*>(memory_); }
  int64_t bytes() const { return bytes_; }

 private:
  const int64_t bytes_;
  void* memory_;
};

int64_t buffer_bytes(int64_t available_bytes) {
  const int64_t cache = std::max<int64_t>(0, ::sysconf(_SC_LEVEL3_CACHE_SIZE));
  const int64_t wanted = std::clamp(cache * 4, kBufferBytesMin, kBufferBytesMax);
  return std::min(wanted, available_bytes / 4) / kSliceBytes * kSliceBytes;
}

struct Slice {
  int64_t begin = 0, bytes = 0;
};

// Thread `thread`'s part of the buffer, in whole pages that streams divide evenly.
Slice slice_of(const Buffer& buffer, int thread, int threads) {
  constexpr int64_t kUnit = kSliceBytes * 8;
  const int64_t bytes = buffer.bytes() / threads / kUnit * kUnit;
  return {thread * bytes, bytes};
}

double bytes_per_s(const Buffer& buffer, ThreadTeam& team, const Pattern& pattern, int rounds) {
  double best = 0;
  std::atomic<uint64_t> sink{0};  // keeps the reads
  for (int round = 0; round < rounds; ++round) {
    const int64_t started_ns = system_clock().now_ns();
    team.run([&](int thread, int threads) {
      const Slice slice = slice_of(buffer, thread, threads);
      sink.fetch_add(pattern.read(buffer.data() + slice.begin, slice.bytes), std::memory_order_relaxed);
    });
    const int64_t taken_ns = std::max<int64_t>(1, system_clock().now_ns() - started_ns);
    const int64_t bytes = slice_of(buffer, 0, team.threads()).bytes * team.threads();
    best = std::max(best, static_cast<double>(bytes) * 1e9 / static_cast<double>(taken_ns));
  }
  return best;
}

}  // namespace

ReadBandwidth measure_read_bandwidth(int threads, int64_t available_bytes, int rounds) {
  ReadBandwidth best;
  const Buffer buffer(buffer_bytes(available_bytes));
  if (buffer.bytes() <= 0 || !buffer.valid()) return best;
  best.buffer_bytes = buffer.bytes();
  for (const int count : {threads, 1}) {
    ThreadTeam team(count);
    if (count == threads) {  // memory is placed near the thread that first touches it
      team.run([&](int thread, int all) {
        const Slice slice = slice_of(buffer, thread, all);
        std::fill_n(buffer.data() + slice.begin, slice.bytes, std::byte{1});
      });
    }
    for (const Pattern& pattern : kPatterns) {
      const double measured = bytes_per_s(buffer, team, pattern, rounds);
      if (measured <= best.bytes_per_s) continue;
      best.bytes_per_s = measured;
      best.pattern = pattern.name;
      best.threads = count;
    }
    if (count == 1) break;
  }
  return best;
}

}  // namespace ondol::commands
