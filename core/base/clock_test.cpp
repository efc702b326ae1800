#include "core/base/clock.h"

#include <doctest/doctest.h>

namespace ondol {
namespace {

TEST_CASE("clock: the system's clock never goes back, and its wall clock is after 2024") {
  int64_t last = system_clock().now_ns();
  for (int i = 0; i < 1000; ++i) {
    const int64_t now = system_clock().now_ns();
    REQUIRE_GE(now, last);
    last = now;
  }
  CHECK_GT(system_clock().unix_s(), 1'704'067'200);
}

TEST_CASE("clock: a manual clock moves only when told") {
  ManualClock clock;
  CHECK_EQ(clock.now_ns(), 0);
  clock.advance_ns(5);
  clock.set_unix_s(7);
  CHECK_EQ(clock.now_ns(), 5);
  CHECK_EQ(clock.unix_s(), 7);
}

}  // namespace
}  // namespace ondol
