// The published split patterns of byte-level BPE tokenizers, as hand-written matchers: one forward walk,
// no recursion, no regular expressions, time linear in the text.
// Each rule cuts [begin, end) of a decoded text into pieces and appends where they end. Look-ahead sees
// nothing beyond `end`. What the pattern does not match stays, as pieces of its own, between the matches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/tokenizer/unicode_tables.h"

namespace ondol {

// A text as code points with their flags; offsets[i] is the first byte of character i.
// A byte that is not UTF-8 counts as U+FFFD.
struct DecodedText {
  std::vector<uint32_t> code_points;
  std::vector<uint16_t> flags;
  std::vector<uint32_t> offsets;  // one more than characters: the last is the length in bytes
  size_t size() const { return code_points.size(); }
};

using Ends = std::vector<uint32_t>;
using SplitRule = void (*)(const DecodedText& text, size_t begin, size_t end, Ends& ends);

// Whole-word rules: they match every character.
void split_gpt2(const DecodedText& text, size_t begin, size_t end, Ends& ends);
void split_llama3(const DecodedText& text, size_t begin, size_t end, Ends& ends);    // digits in threes
void split_qwen2(const DecodedText& text, size_t begin, size_t end, Ends& ends);     // digits one by one
void split_qwen35(const DecodedText& text, size_t begin, size_t end, Ends& ends);    // and marks in words
void split_minicpm5(const DecodedText& text, size_t begin, size_t end, Ends& ends);  // digits all together
void split_seed_coder(const DecodedText& text, size_t begin, size_t end,
                      Ends& ends);  // no newline after signs
void split_gpt4o(const DecodedText& text, size_t begin, size_t end,
                 Ends& ends);  // words by case, digits in threes
void split_tekken(const DecodedText& text, size_t begin, size_t end, Ends& ends);  // digits one by one
void split_youtu(const DecodedText& text, size_t begin, size_t end, Ends& ends);
void split_deepseek3(const DecodedText& text, size_t begin, size_t end, Ends& ends);
void split_exaone_moe(const DecodedText& text, size_t begin, size_t end,
                      Ends& ends);  // words of several words

// Rules that cut out one kind of run.
void split_digits_one(const DecodedText& text, size_t begin, size_t end, Ends& ends);    // \p{N}
void split_digits_three(const DecodedText& text, size_t begin, size_t end, Ends& ends);  // \p{N}{1,3}
void split_digits_all(const DecodedText& text, size_t begin, size_t end, Ends& ends);    // \p{N}+
void split_ascii_digits_three(const DecodedText& text, size_t begin, size_t end,
                              Ends& ends);  // [0-9][0-9][0-9]
void split_digits_grouped(const DecodedText& text, size_t begin, size_t end,
                          Ends& ends);  // threes from the right
void split_default_signs(const DecodedText& text, size_t begin, size_t end, Ends& ends);
void split_falcon_signs(const DecodedText& text, size_t begin, size_t end, Ends& ends);  // and the backtick
void split_newlines_one(const DecodedText& text, size_t begin, size_t end, Ends& ends);  // [\r\n]
void split_lines(const DecodedText& text, size_t begin, size_t end, Ends& ends);         // [^\n]+|\n+
void split_cjk_kana(const DecodedText& text, size_t begin, size_t end, Ends& ends);
void split_cjk_hangul(const DecodedText& text, size_t begin, size_t end, Ends& ends);
void split_youtu_scripts(const DecodedText& text, size_t begin, size_t end, Ends& ends);
void split_bloom(const DecodedText& text, size_t begin, size_t end, Ends& ends);
void split_space_letters(const DecodedText& text, size_t begin, size_t end, Ends& ends);  // \s?\p{L}+
void split_space_signs(const DecodedText& text, size_t begin, size_t end, Ends& ends);    // \s?\p{P}+
void split_space_cased_letters(const DecodedText& text, size_t begin, size_t end,
                               Ends& ends);  // of deepseek-llm
void split_space_listed_signs(const DecodedText& text, size_t begin, size_t end,
                              Ends& ends);                                                 // of deepseek-llm
void split_trailing_space(const DecodedText& text, size_t begin, size_t end, Ends& ends);  // \s+$

}  // namespace ondol
