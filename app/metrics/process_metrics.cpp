#include "app/metrics/process_metrics.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

namespace ondol::metrics {
namespace {

int64_t open_descriptors() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
  if (!folder) return 0;
  int64_t count = 0;
  while (const dirent* entry = readdir(folder.get())) count += entry->d_name[0] != '.';
  return count - 1;  // the folder's own
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int64_t resident_bytes() {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fopen("/proc/self/statm", "re"), fclose);
  long long total = 0, resident = 0;
  if (!file || fscanf(file.get(), "%lld %lld", &total, &resident) != 2) return 0;
  return resident * sysconf(_SC_PAGESIZE);
}

void write_process_metrics(MetricsText& out, int64_t start_unix_s, double uptime_s) {
  out.family("process_resident_memory_bytes", "gauge", "Resident memory.");
  out.sample({}, static_cast<double>(resident_bytes()));
  out.family("process_cpu_seconds_total", "counter", "Processor time, user and system.");
  out.sample({}, processor_seconds());
  out.family("process_open_fds", "gauge", "Open file descriptors.");
  out.sample({}, static_cast<double>(open_descriptors()));
  out.family("process_start_time_seconds", "gauge", "Start of the process, Unix time.");
  out.sample({}, static_cast<double>(start_unix_s));
  out.family("ondol_uptime_seconds", "gauge", "Time since the server started.");
  out.sample({}, uptime_s);
}

}  // namespace ondol::metrics
