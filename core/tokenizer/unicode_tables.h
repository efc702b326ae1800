// Properties of Unicode code points, as the pre-tokenizers' published patterns name them.
// Source: the Unicode Character Database, through make_unicode_tables.py. Pure; any thread.
#pragma once

#include <cstdint>

namespace ondol {

enum UnicodeFlag : uint16_t {
  kLetter = 1 << 0,         // \p{L}
  kMark = 1 << 1,           // \p{M}
  kNumber = 1 << 2,         // \p{N}
  kPunctuation = 1 << 3,    // \p{P}
  kSymbol = 1 << 4,         // \p{S}
  kSpace = 1 << 5,          // \s: White_Space
  kUpper = 1 << 6,          // \p{Lu} and \p{Lt}
  kLower = 1 << 7,          // \p{Ll}
  kNewline = 1 << 8,        // \r and \n
  kDigit = 1 << 9,          // \p{Nd}
  kConnector = 1 << 10,     // \p{Pc}
  kLetterNumber = 1 << 11,  // \p{Nl}
  kAny = 1 << 15,           // set for every code point; clear past the end of a text
};

// The flags of `code_point`, which is at most 0x10FFFF.
uint16_t unicode_flags(uint32_t code_point);

}  // namespace ondol
