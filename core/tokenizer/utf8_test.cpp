#include "core/tokenizer/utf8.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "core/tokenizer/tokenizer.h"
#include "core/tokenizer/unicode_tables.h"

namespace ondol {
namespace {

const std::string kFffd(kReplacementCharacter);

TEST_CASE("utf-8: every code point encodes and decodes to itself, surrogates do not decode") {
  for (uint32_t code_point = 0; code_point < 0x110000; ++code_point) {
    std::string bytes;
    append_utf8(code_point, bytes);
    const Utf8Step step = decode_utf8(bytes);
    const bool surrogate = code_point >= 0xD800 && code_point < 0xE000;
    if (step.valid != !surrogate ||
        (step.valid && (step.code_point != code_point || step.bytes != bytes.size())))
      FAIL("code point " << code_point);
  }
}

TEST_CASE("utf-8: invalid bytes become one U+FFFD for each maximal subpart") {
  struct Case {
    std::string_view bytes;
    std::string expected;
  };
  // The last three are the examples of the Unicode Standard, tables 3-8 to 3-11.
  const Case cases[] = {
      {"plain 온돌", "plain 온돌"},
      {"\x80", kFffd},
      {"a\xFFz", "a" + kFffd + "z"},
      {"\xEA\xB0", kFffd},
      {"\xEA\xB0"
       "a",
       kFffd + "a"},
      {"\xF0\x9F\x99", kFffd},
      {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41",
       kFffd + kFffd + kFffd + kFffd + kFffd + kFffd + kFffd + kFffd + "A"},
      {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41",
       kFffd + kFffd + kFffd + kFffd + kFffd + kFffd + kFffd + kFffd + "A"},
      {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", kFffd + kFffd + kFffd + kFffd + "A"},
  };
  for (const Case& c : cases) {
    CHECK_EQ(to_valid_utf8(c.bytes), c.expected);
    CHECK_EQ(is_valid_utf8(c.bytes), c.bytes == c.expected);
    CHECK(is_valid_utf8(to_valid_utf8(c.bytes)));
  }
}

TEST_CASE("unicode tables: categories of characters from many scripts") {
  CHECK((unicode_flags('A') & (kLetter | kUpper)) == (kLetter | kUpper));
  CHECK((unicode_flags(U'한') & kLetter) != 0);
  CHECK((unicode_flags(U'한') & (kUpper | kLower)) == 0);
  CHECK((unicode_flags(0x0301) & kMark) != 0);
  CHECK((unicode_flags(U'½') & (kNumber | kDigit)) == kNumber);
  CHECK((unicode_flags(0x3000) & kSpace) != 0);
  CHECK((unicode_flags(0xFEFF) & kSpace) == 0);
  CHECK((unicode_flags('\r') & (kSpace | kNewline)) == (kSpace | kNewline));
  CHECK((unicode_flags(0x2028) & (kSpace | kNewline)) == kSpace);
  CHECK(unicode_flags(0x10FFFF) == kAny);
}

}  // namespace
}  // namespace ondol
