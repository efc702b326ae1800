// What this machine offers to the program: processor, kernels, threads, memory, and how fast they are.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/commands/probe_bandwidth.h"
#include "app/commands/probe_integer.h"
#include "core/base/cpu_budget.h"
#include "core/base/file.h"

namespace ondol::commands {

struct MachineReport {
  std::string cpu;
  std::vector<std::string> features;
  std::vector<std::string> kernels;  // that run here, the fastest first
  CpuBudget budget;
  int64_t memory_bytes = 0;     // of the machine; 0: unknown
  int64_t available_bytes = 0;  // that this process may take now
  bool measured = false;
  ReadBandwidth bandwidth;  // valid when measured
  IntegerPeak integer_peak;
  std::vector<std::string> problems;  // in plain words
};

// Without `measure` the probes are left out. Main thread; the probes use every thread that this process may.
MachineReport examine_machine(FileSystem& files, bool measure);

// "2: one a core; the processor affinity allows 4 hardware threads on 2 cores"
std::string why_threads(const CpuBudget& budget);

// MemTotal of /proc/meminfo in bytes; 0 if it is not there. Pure.
int64_t memory_total_bytes(const std::string& meminfo);

nlohmann::ordered_json machine_json(const MachineReport& report);
std::string machine_text(const MachineReport& report);

}  // namespace ondol::commands
