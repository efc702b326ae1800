// CHECK: a programmer's error ends the process with the place and the condition. Never for input.
#pragma once

namespace ondol {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}  // namespace ondol

// Headers say ONDOL_CHECK, because a test that includes them may have doctest's CHECK; sources say CHECK.
#define ONDOL_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::ondol::check_failed(#condition, __FILE__, __LINE__))
#ifndef CHECK
#define CHECK(condition) ONDOL_CHECK(condition)
#endif
