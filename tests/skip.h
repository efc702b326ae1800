// ONDOL_SKIP("reason"): leaves a test case that cannot run here (no such instruction set, no model file), and
// says so. The test run counts it as skipped, with the reason, not as passed. Unit tests only.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>

#define ONDOL_SKIP(reason)                                                                          \
  do {                                                                                              \
    std::printf("ondol-skip: %s: %s\n", doctest::getContextOptions()->currentTest->m_name, reason); \
    std::fflush(stdout);                                                                            \
    return;                                                                                         \
  } while (false)
