#include "app/commands/examine_machine.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/commands/progress_line.h"
#include "app/commands/statistics.h"
#include "core/runner/memory_budget.h"
#include "kernels/cpu/dispatch.h"

namespace ondol::commands {
namespace {

constexpr int64_t kSystemFileBytesMax = 64 * 1024;
constexpr int kProbeRounds = 5;

std::vector<std::string> feature_names() {
  const kernels::CpuFeatures f = kernels::cpu_features();
  std::vector<std::string> names;
  const auto add = [&](bool has, const char* name) {
    if (has) names.emplace_back(name);
  };
  add(f.avx2, "avx2");
  add(f.avx_vnni, "avx_vnni");
  add(f.avx512, "avx512");
  add(f.avx512_vnni, "avx512_vnni");
  add(f.avx512_bf16, "avx512_bf16");
  add(f.neon_dotprod, "neon_dotprod");
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

std::string number_text(double value, const char* format) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::vector<std::string> problems_of(const MachineReport& report) {
  std::vector<std::string> problems;
  if (report.kernels.empty() || report.kernels.front() == "twin") {
    problems.emplace_back(
        "this processor has none of the instruction sets that the fast kernels need (on x86-64: AVX2, FMA "
        "and F16C): "
        "answers are right, but many times slower");
  }
  const CpuBudget& budget = report.budget;
  if (budget.quota_cpus > 0 && budget.quota_cpus < 1) {
    problems.push_back("the cgroup grants " + number_text(budget.quota_cpus, "%.2f") +
                       " CPUs: with less than one, answers stall for parts of every period");
  }
  constexpr int64_t kLittleBytes = int64_t{512} << 20;
  if (report.available_bytes < kLittleBytes) {
    problems.push_back("only " + bytes_text(report.available_bytes) + " of memory are available");
  }
  return problems;
}

}  // namespace

std::string why_threads(const CpuBudget& budget) {
  std::string text = std::to_string(budget.threads()) + ": one a core; this process may use " +
                     std::to_string(budget.hardware_threads) + " hardware threads on " +
                     std::to_string(budget.cores) + " cores";
  if (budget.quota_cpus > 0) {
    return text + ", and the cgroup grants " + number_text(budget.quota_cpus, "%.2f") + " CPUs of time";
  }
  return text + ", and no cgroup limits its time";
}

int64_t memory_total_bytes(const std::string& meminfo) {
  constexpr std::string_view kKey = "MemTotal:";
  size_t at = meminfo.find(kKey);
  if (at == std::string::npos) return 0;
  at = meminfo.find_first_not_of(' ', at + kKey.size());
  if (at == std::string::npos) return 0;
  int64_t kibibytes = 0;
  const auto [end, error] = std::from_chars(meminfo.data() + at, meminfo.data() + meminfo.size(), kibibytes);
  return error == std::errc() && kibibytes < int64_t{1} << 50 ? kibibytes * 1024 : 0;
}

MachineReport examine_machine(FileSystem& files, bool measure) {
  MachineReport report;
  report.cpu = std::string(kernels::cpu_model_name());
  report.features = feature_names();
  for (const kernels::KernelTable* table : kernels::available_tables())
    report.kernels.emplace_back(table->name);
  report.budget = cpu_budget(files);
  report.memory_bytes =
      memory_total_bytes(read_text(files, "/proc/meminfo", kSystemFileBytesMax).value_or(""));
  report.available_bytes = available_memory_bytes(files);
  if (measure) {
    ProgressLine progress("measuring the machine");
    report.measured = true;
    report.bandwidth = measure_read_bandwidth(report.budget.threads(), report.available_bytes, kProbeRounds);
    progress.update(0.7);
    report.integer_peak = measure_integer_peak(report.budget.threads(), kProbeRounds);
  }
  report.problems = problems_of(report);
  return report;
}

nlohmann::ordered_json machine_json(const MachineReport& report) {
  nlohmann::ordered_json json;
  json["cpu"] = {{"model", report.cpu}, {"features", report.features}};
  json["kernels"] = {{"available", report.kernels}, {"chosen", report.kernels.front()}};
  json["threads"] = {{"default", report.budget.threads()},
                     {"hardware_threads", report.budget.hardware_threads},
                     {"cores", report.budget.cores},
                     {"quota_cpus", report.budget.quota_cpus},
                     {"why", why_threads(report.budget)}};
  json["memory"] = {{"total_bytes", report.memory_bytes}, {"available_bytes", report.available_bytes}};
  if (report.measured) {
    json["read_bw"] = {{"bytes_per_s", report.bandwidth.bytes_per_s},
                       {"pattern", report.bandwidth.pattern},
                       {"threads", report.bandwidth.threads},
                       {"buffer_bytes", report.bandwidth.buffer_bytes}};
    json["int8_peak"] = {{"ops_per_s", report.integer_peak.ops_per_s},
                         {"instruction", report.integer_peak.instruction},
                         {"threads", report.integer_peak.threads}};
  }
  json["problems"] = report.problems;
  return json;
}

std::string machine_text(const MachineReport& report) {
  std::string text = "processor       " + (report.cpu.empty() ? "unknown" : report.cpu) + "\n";
  text += "features        " + joined(report.features) + "\n";
  text += "kernels         " + joined(report.kernels) + "; the first is used\n";
  text += "threads         " + why_threads(report.budget) + "\n";
  text += "memory          " + bytes_text(report.available_bytes) + " available of " +
          bytes_text(report.memory_bytes) + "\n";
  if (report.measured) {
    const ReadBandwidth& bandwidth = report.bandwidth;
    const IntegerPeak& peak = report.integer_peak;
    text += "read bandwidth  " + number_text(bandwidth.bytes_per_s / 1e9, "%.1f GB/s") + " (" +
            bandwidth.pattern + ", threads: " + std::to_string(bandwidth.threads) + ")\n";
    text += "integer peak    " + number_text(peak.ops_per_s / 1e9, "%.0f Gop/s") + " (" + peak.instruction +
            ", threads: " + std::to_string(peak.threads) + ")\n";
  }
  for (const std::string& problem : report.problems) text += "problem         " + problem + "\n";
  return text;
}

}  // namespace ondol::commands
