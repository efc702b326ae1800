// The little of Unicode that templates need: characters in UTF-8, white space, simple case mapping.
// Case is mapped for ASCII, Latin-1, Latin Extended-A, Greek and Cyrillic; Korean has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ondol::chat::jinja {

// Bytes of the character that starts at `at`; a byte that is not valid UTF-8 counts as one character.
size_t char_bytes(std::string_view text, size_t at);
uint32_t decode_char(std::string_view text, size_t at);  // an invalid byte decodes to U+FFFD
size_t char_count(std::string_view text);
// Byte offset of character number `index`; text.size() if there are not that many.
size_t char_offset(std::string_view text, size_t index);
void append_utf8(std::string& out, uint32_t code_point);

bool is_space(uint32_t code_point);  // as Python's str.isspace
bool is_alpha(uint32_t code_point);  // approximate above Latin-1: all but spaces and punctuation blocks
bool is_digit(uint32_t code_point);
bool is_upper(uint32_t code_point);
bool is_lower(uint32_t code_point);
uint32_t to_upper(uint32_t code_point);
uint32_t to_lower(uint32_t code_point);

}  // namespace ondol::chat::jinja
