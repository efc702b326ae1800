#include "core/base/cpu_budget.h"

#include <doctest/doctest.h>

#include "core/base/temporary_folder.h"

namespace ondol {
namespace {

// Shows the files under `root` as if they were the whole system.
class RootedFileSystem : public FileSystem {
 public:
  explicit RootedFileSystem(std::string root) : root_(std::move(root)) {}
  Result<std::unique_ptr<ReadFile>> open(const std::string& path) override {
    return real_file_system().open(root_ + path);
  }
  Result<FileIdentity> identity(const std::string& path) override {
    return real_file_system().identity(root_ + path);
  }
  Result<void> write_atomically(const std::string& path, std::span<const std::byte> content) override {
    return real_file_system().write_atomically(root_ + path, content);
  }
  Result<std::vector<std::string>> list(const std::string& folder) override {
    return real_file_system().list(root_ + folder);
  }

 private:
  std::string root_;
};

TEST_CASE("cpu budget: the smallest cgroup quota on the way to the root counts (version 2)") {
  const TemporaryFolder root;
  RootedFileSystem files(root.path());
  root.write("proc/self/cgroup", "0::/system.slice/ondol.service\n");
  CHECK_EQ(cgroup_quota_cpus(files), 0);
  root.write("sys/fs/cgroup/system.slice/ondol.service/cpu.max", "max 100000\n");
  CHECK_EQ(cgroup_quota_cpus(files), 0);
  root.write("sys/fs/cgroup/system.slice/cpu.max", "250000 100000\n");
  CHECK_EQ(cgroup_quota_cpus(files), doctest::Approx(2.5));
  root.write("sys/fs/cgroup/system.slice/ondol.service/cpu.max", "50000 100000\n");
  CHECK_EQ(cgroup_quota_cpus(files), doctest::Approx(0.5));
}

TEST_CASE("cpu budget: in a container the host's path may not exist; its own root counts") {
  const TemporaryFolder root;
  RootedFileSystem files(root.path());
  root.write("proc/self/cgroup", "0::/docker/0123abcd\n");
  root.write("sys/fs/cgroup/cpu.max", "300000 100000\n");
  CHECK_EQ(cgroup_quota_cpus(files), doctest::Approx(3));
}

TEST_CASE("cpu budget: cgroup version 1 quotas are read, -1 is no limit") {
  const TemporaryFolder root;
  RootedFileSystem files(root.path());
  root.write("proc/self/cgroup", "9:memory:/a\n4:cpu,cpuacct:/a/b\n3:cpuset:/\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
  CHECK_EQ(cgroup_quota_cpus(files), 0);
  root.write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "400000\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  CHECK_EQ(cgroup_quota_cpus(files), doctest::Approx(4));
}

TEST_CASE("cpu budget: unreadable or senseless system files count as no limit") {
  const TemporaryFolder root;
  RootedFileSystem files(root.path());
  for (const char* text : {"", "0::", "x", "::::\n::\n", "0::/../..//\n"}) {
    root.write("proc/self/cgroup", text);
    CHECK_EQ(cgroup_quota_cpus(files), 0);
  }
  root.write("proc/self/cgroup", "0::/\n");
  for (const char* text : {"", "max", "-5 -5", "0 0", "99999999999999999999 1", "100000"}) {
    root.write("sys/fs/cgroup/cpu.max", text);
    CHECK_EQ(cgroup_quota_cpus(files), 0);
  }
}

TEST_CASE("cpu budget: one thread a core, and whole CPUs of the quota, at least one") {
  CHECK_EQ(CpuBudget{.hardware_threads = 16, .cores = 8}.threads(), 8);
  CHECK_EQ(CpuBudget{.hardware_threads = 16, .cores = 8, .quota_cpus = 2.5}.threads(), 2);
  CHECK_EQ(CpuBudget{.hardware_threads = 16, .cores = 8, .quota_cpus = 0.5}.threads(), 1);
  CHECK_EQ(CpuBudget{.hardware_threads = 4, .cores = 4, .quota_cpus = 1e300}.threads(), 4);
  CHECK_GE(cpu_budget(real_file_system()).threads(), 1);
}

TEST_CASE("cpu budget: two hardware threads of one core are one core") {
  const TemporaryFolder root;
  RootedFileSystem files(root.path());
  const int threads = cpu_budget(real_file_system()).hardware_threads;
  CHECK_EQ(cpu_budget(files).cores, threads);  // no topology: each its own
  for (int cpu = 0; cpu < 4096; ++cpu) {
    if (cpu >= 64 && threads <= 8) break;
    root.write("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list",
               "0-4095\n");
  }
  if (threads <= 8) CHECK_EQ(cpu_budget(files).cores, 1);
}

}  // namespace
}  // namespace ondol
