#include "core/base/clock.h"

#include <chrono>

namespace ondol {
namespace {

class SystemClock : public Clock {
 public:
  int64_t now_ns() const override {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since_start).count();
  }
  int64_t unix_s() const override {
    const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(since_1970).count();
  }
};

}  // namespace

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

}  // namespace ondol
