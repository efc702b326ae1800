// How many 8-bit multiply-adds this machine's cores can do: the ceiling of prompt processing.
// Shares no code with the kernels.
#pragma once

#include <string>

namespace ondol::commands {

struct IntegerPeak {
  double ops_per_s = 0;     // a multiply-add is two; 0: nothing is known for this kind of processor
  std::string instruction;  // the one that was fastest
  int threads = 0;
};

// The best instruction that this machine has, on `threads` threads at once with many independent sums; the
// best of `rounds` rounds of about 40 ms.
IntegerPeak measure_integer_peak(int threads, int rounds);

}  // namespace ondol::commands
