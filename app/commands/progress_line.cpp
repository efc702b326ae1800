#include "app/commands/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/base/clock.h"

namespace ondol::commands {
namespace {

constexpr int64_t kQuietNs = 500'000'000;
constexpr int64_t kIntervalNs = 100'000'000;
constexpr int kCells = 20;

}  // namespace

std::string progress_text(const std::string& what, double share) {
  const double shown = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  const auto filled = static_cast<size_t>(shown * kCells);
  const std::string percent = std::to_string(static_cast<int>(shown * 100));
  return "[" + std::string(filled, '#') + std::string(kCells - filled, '-') + "] " +
         std::string(3 - std::min<size_t>(3, percent.size()), ' ') + percent + " %  " + what;
}

ProgressLine::ProgressLine(std::string what)
    : what_(std::move(what)), terminal_(::isatty(STDERR_FILENO) == 1), started_ns_(system_clock().now_ns()) {}

ProgressLine::~ProgressLine() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void ProgressLine::update(double share) {
  if (!terminal_) return;
  const int64_t now_ns = system_clock().now_ns();
  if (now_ns - started_ns_ < kQuietNs || now_ns - drawn_ns_ < kIntervalNs) return;
  std::fprintf(stderr, "\r\x1b[K%s", progress_text(what_, share).c_str());
  std::fflush(stderr);
  drawn_ns_ = now_ns;
  drawn_ = true;
}

}  // namespace ondol::commands
