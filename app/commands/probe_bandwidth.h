// How fast this machine reads memory: the ceiling of token generation, which reads every weight once a step.
// Shares no code with the kernels, so that a fault of theirs cannot lower the ceiling they are held against.
#pragma once

#include <cstdint>
#include <string>

namespace ondol::commands {

struct ReadBandwidth {
  double bytes_per_s = 0;  // 0: there was no memory for the buffer
  std::string pattern;     // the one that was fastest
  int threads = 0;         // and with how many threads
  int64_t buffer_bytes = 0;
};

// The best of several patterns (sequential, several streams, prefetching far ahead), read by one thread and
// by `threads`, each `rounds` times over a buffer of at least 256 MiB and four times the last cache, or a
// quarter of `available_bytes` where that is less. Takes about a second.
ReadBandwidth measure_read_bandwidth(int threads, int64_t available_bytes, int rounds);

}  // namespace ondol::commands
