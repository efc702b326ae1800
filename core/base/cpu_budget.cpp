#include "core/base/cpu_budget.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace ondol {
namespace {

constexpr int64_t kSystemFileBytesMax = 64 * 1024;

std::vector<int> allowed_cpus() {
  for (int cpus_max = 1024; cpus_max <= 1 << 16; cpus_max *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(static_cast<size_t>(cpus_max)),
                                                               [](cpu_set_t* s) { CPU_FREE(s); });
    const size_t set_bytes = CPU_ALLOC_SIZE(static_cast<size_t>(cpus_max));
    if (!set || ::sched_getaffinity(0, set_bytes, set.get()) != 0) continue;  // the machine has more
    std::vector<int> cpus;
    for (int cpu = 0; cpu < cpus_max; ++cpu) {
      if (CPU_ISSET_S(static_cast<size_t>(cpu), set_bytes, set.get())) cpus.push_back(cpu);
    }
    return cpus;
  }
  return {};
}

std::optional<int64_t> first_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

double quota_of(int64_t quota_us, int64_t period_us) {
  return quota_us > 0 && period_us > 0 ? static_cast<double>(quota_us) / static_cast<double>(period_us) : 0;
}

// cpu.max holds "QUOTA PERIOD", or "max PERIOD".
double quota_v2(FileSystem& files, const std::string& folder) {
  const auto text = read_text(files, folder + "/cpu.max", kSystemFileBytesMax);
  if (!text) return 0;
  const size_t space = text->find(' ');
  if (space == std::string::npos) return 0;
  return quota_of(first_number(*text).value_or(0),
                  first_number(std::string_view(*text).substr(space + 1)).value_or(0));
}

double quota_v1(FileSystem& files, const std::string& folder) {
  const auto quota = read_text(files, folder + "/cpu.cfs_quota_us", kSystemFileBytesMax);
  const auto period = read_text(files, folder + "/cpu.cfs_period_us", kSystemFileBytesMax);
  if (!quota || !period) return 0;
  return quota_of(first_number(*quota).value_or(0), first_number(*period).value_or(0));
}

double smaller_quota(double a, double b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

// `path` and its parents, under `mount`. In a container the path may be the host's: then only the
// root exists, and that is the container's own group.
double quota_on_the_way(FileSystem& files, const std::string& mount, std::string path,
                        double (*quota)(FileSystem&, const std::string&)) {
  double smallest = 0;
  while (true) {
    while (path.ends_with('/')) path.pop_back();
    smallest = smaller_quota(smallest, quota(files, mount + path));
    if (path.empty()) return smallest;
    path.resize(std::min(path.size(), path.rfind('/') == std::string::npos ? 0 : path.rfind('/')));
  }
}

bool names_cpu(std::string_view controllers) {
  return ("," + std::string(controllers) + ",").find(",cpu,") != std::string::npos;
}

}  // namespace

double cgroup_quota_cpus(FileSystem& files) {
  const auto groups = read_text(files, "/proc/self/cgroup", kSystemFileBytesMax);
  if (!groups) return 0;
  double smallest = 0;
  std::string_view rest = *groups;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    // "0::/path" for version 2, "N:controllers:/path" for version 1.
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string path(line.substr(second + 1));
    if (controllers.empty()) {
      for (const char* mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"})
        smallest = smaller_quota(smallest, quota_on_the_way(files, mount, path, quota_v2));
    } else if (names_cpu(controllers)) {
      for (const char* mount : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"})
        smallest = smaller_quota(smallest, quota_on_the_way(files, mount, path, quota_v1));
    }
  }
  return smallest;
}

CpuBudget cpu_budget(FileSystem& files) {
  const std::vector<int> cpus = allowed_cpus();
  CpuBudget budget;
  budget.hardware_threads = std::max(1, static_cast<int>(cpus.size()));
  std::set<std::string> cores;
  for (const int cpu : cpus) {
    const std::string path =
        "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list";
    auto siblings = read_text(files, path, kSystemFileBytesMax);
    cores.insert(siblings ? *siblings : std::to_string(cpu));
  }
  budget.cores = std::max(1, static_cast<int>(cores.size()));
  budget.quota_cpus = cgroup_quota_cpus(files);
  return budget;
}

int CpuBudget::threads() const {
  int count = std::min(cores, hardware_threads);
  if (quota_cpus > 0) count = std::min(count, static_cast<int>(std::floor(std::min(quota_cpus, 1e6))));
  return std::max(1, count);
}

}  // namespace ondol
