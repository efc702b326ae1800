// The one main() of every unit-test program; a room's *_test.cpp files link against it.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
