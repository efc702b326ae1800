#include "core/runner/memory_budget.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace ondol {
namespace {

constexpr int64_t kSystemFileBytesMax = 64 * 1024;

// The number after `label` at the start of a line, or of the file where the label is empty.
std::optional<int64_t> number_after(std::string_view text, std::string_view label) {
  size_t at = 0;
  while (!text.substr(at).starts_with(label)) {
    at = text.find('\n', at);
    if (at == std::string_view::npos) return std::nullopt;
    ++at;
  }
  text.remove_prefix(at + label.size());
  while (text.starts_with(' ')) text.remove_prefix(1);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional<int64_t>(number) : std::nullopt;
}

std::optional<int64_t> number_in(FileSystem& files, const std::string& path, std::string_view label) {
  const auto text = read_text(files, path, kSystemFileBytesMax);
  return text ? number_after(*text, label) : std::nullopt;
}

struct GroupFiles {
  const char* limit;
  const char* used;
  const char* reclaimable;  // label in memory.stat
};
constexpr GroupFiles kVersion2{"/memory.max", "/memory.current", "inactive_file "};
constexpr GroupFiles kVersion1{"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file "};

int64_t left_in_group(FileSystem& files, const std::string& folder, const GroupFiles& names) {
  const auto limit = number_in(files, folder + names.limit, "");
  const auto used = number_in(files, folder + names.used, "");
  if (!limit || !used) return INT64_MAX;  // "max", or no such group
  const int64_t reclaimable = number_in(files, folder + "/memory.stat", names.reclaimable).value_or(0);
  return std::max<int64_t>(0, *limit - *used + reclaimable);
}

// The group at `path` and those above it.
int64_t left_on_the_way(FileSystem& files, const std::string& mount, std::string path,
                        const GroupFiles& names) {
  int64_t left = INT64_MAX;
  while (true) {
    while (path.ends_with('/')) path.pop_back();
    left = std::min(left, left_in_group(files, mount + path, names));
    if (path.empty()) return left;
    const size_t slash = path.rfind('/');
    path.resize(slash == std::string::npos ? 0 : slash);
  }
}

}  // namespace

int64_t available_memory_bytes(FileSystem& files) {
  int64_t left = INT64_MAX;
  if (const auto kib = number_in(files, "/proc/meminfo", "MemAvailable:")) left = *kib * 1024;
  const auto groups = read_text(files, "/proc/self/cgroup", kSystemFileBytesMax);
  std::string_view rest = groups ? std::string_view(*groups) : std::string_view();
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    // "0::/path" for version 2, "N:controllers:/path" for version 1.
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string controllers = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    const std::string path(line.substr(second + 1));
    if (controllers == ",,") {
      left = std::min(left, left_on_the_way(files, "/sys/fs/cgroup", path, kVersion2));
    } else if (controllers.find(",memory,") != std::string::npos) {
      left = std::min(left, left_on_the_way(files, "/sys/fs/cgroup/memory", path, kVersion1));
    }
  }
  return left;
}

}  // namespace ondol
