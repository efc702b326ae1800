// What a template may cost. A template comes from a model file, which is input: it may be hostile.
#pragma once

#include <cstdint>

namespace ondol::chat::jinja {

inline constexpr int64_t kSourceBytesMax = 1 << 20;  // template text
inline constexpr int kExpressionDepthMax = 100;      // nesting of one expression
inline constexpr int kBlockDepthMax = 50;            // nesting of statements (if, for, macro...)
inline constexpr int kJsonDepthMax = 100;            // nesting of tool JSON and of printed values
inline constexpr int kRangeItemsMax = 100'000;       // as Jinja's own sandbox
inline constexpr int kCallArgumentsMax = 255;

// Limits of one render. The fuzz target lowers them.
struct Limits {
  int64_t steps_max = 20'000'000;             // expressions, statements and elements touched
  int64_t output_bytes_max = 32 << 20;        // the prompt, and any one string on the way
  int64_t heap_bytes_max = int64_t{1} << 29;  // strings and lists made during one render, together
  int loop_depth_max = 32;                    // loops inside loops
  int call_depth_max = 48;                    // macros calling macros
  int frame_depth_max = 200;                  // expressions and blocks open at once: 256 KiB of stack
};

}  // namespace ondol::chat::jinja
