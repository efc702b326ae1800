// One step of UTF-8 decoding (Unicode 3.9, table 3-7). Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ondol {

struct Utf8Step {
  uint32_t code_point = 0xFFFD;
  uint32_t bytes = 0;  // of the character, or of the maximal subpart of a broken one; at least 1
  bool valid = false;
  bool unfinished = false;  // not valid, but more bytes could make it so
};

// Decodes the character at the front of `text`, which is not empty.
Utf8Step decode_utf8(std::string_view text);

// Appends `code_point` in UTF-8.
void append_utf8(uint32_t code_point, std::string& out);

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

}  // namespace ondol
