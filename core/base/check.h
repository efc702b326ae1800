// CHECK: a programmer's error ends the process with the place and the condition. Never for input.
#pragma once

namespace ondol {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}  // namespace ondol

#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::ondol::check_failed(#condition, __FILE__, __LINE__))
