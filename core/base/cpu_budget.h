// How much of the machine this process may use: affinity mask, cgroup quota (version 1 and 2), cores
// behind the hardware threads. Sources: sched(7), "Control Group v2" (cpu.max), cpu topology in sysfs.
#pragma once

#include <string>

#include "core/base/file.h"

namespace ondol {

struct CpuBudget {
  int hardware_threads = 1;  // that the affinity mask allows
  int cores = 1;             // distinct cores among them; hardware_threads when the topology is unknown
  double quota_cpus = 0;     // CPUs' worth of time the cgroups grant; 0 for no limit

  // One thread a core, and no more than the quota can feed: at least 1. The kernels fill a core's
  // arithmetic units, so a second hardware thread on it only adds waiting at barriers.
  int threads() const;
};

// The budget of the calling thread. Never fails: what cannot be read counts as no limit.
CpuBudget cpu_budget(FileSystem& files);

// The smallest quota on the way from the process's cgroup to the root, in CPUs; 0 for none.
double cgroup_quota_cpus(FileSystem& files);

}  // namespace ondol
