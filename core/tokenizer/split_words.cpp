// The rules that match whole words. Each comment is the published pattern.
#include "core/tokenizer/split_cursor.h"

namespace ondol {
namespace {

constexpr uint16_t kSpaceLetterNumber = kSpace | kLetter | kNumber;

struct WordOptions {
  bool contractions = true;
  uint16_t word = kLetter;
  size_t digits_max = 1;
  bool newlines_after_signs = true;
};

// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|
// ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
size_t match_word(const SplitCursor& cursor, size_t at, const WordOptions& options) {
  if (options.contractions) {
    if (const size_t end = cursor.contraction(at, true); end > at) return end;
  }
  if (cursor.lacks(at, kNewline | kLetter | kNumber) && cursor.has(at + 1, options.word))
    return cursor.skip(at + 1, options.word);
  if (cursor.has(at, options.word)) return cursor.skip(at, options.word);
  if (cursor.has(at, kNumber)) return cursor.skip_at_most(at, kNumber, options.digits_max);
  const uint16_t not_sign = kSpace | kNumber | options.word;
  const size_t sign = cursor.code_point(at) == ' ' ? at + 1 : at;
  if (cursor.lacks(sign, not_sign)) {
    const size_t end = cursor.skip_lacking(sign, not_sign);
    return options.newlines_after_signs ? cursor.skip(end, kNewline) : end;
  }
  return cursor.white_space(at, true);
}

template <WordOptions kOptions>
size_t match_word_with(const SplitCursor& cursor, size_t at) {
  return match_word(cursor, at, kOptions);
}

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
size_t match_gpt2(const SplitCursor& cursor, size_t at) {
  if (const size_t end = cursor.contraction(at, false); end > at) return end;
  const size_t start = cursor.code_point(at) == ' ' ? at + 1 : at;
  if (cursor.has(start, kLetter)) return cursor.skip(start, kLetter);
  if (cursor.has(start, kNumber)) return cursor.skip(start, kNumber);
  if (cursor.lacks(start, kSpaceLetterNumber)) return cursor.skip_lacking(start, kSpaceLetterNumber);
  return cursor.white_space(at, false);
}

struct CaseOptions {
  bool contractions = true;  // at the end of a word
  size_t digits_max = 3;
};

// Upper: [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]; lower: [\p{Ll}\p{Lm}\p{Lo}\p{M}]. Lm, Lo and M are in both.
bool is_upper(const SplitCursor& cursor, size_t at) {
  return cursor.has(at, kLetter | kMark) && !cursor.has(at, kLower);
}
bool is_lower(const SplitCursor& cursor, size_t at) {
  return cursor.has(at, kLetter | kMark) && !cursor.has(at, kUpper);
}

// upper* lower+ at `at`: where it ends, or `at`.
size_t match_lower_word(const SplitCursor& cursor, size_t at) {
  size_t end = at;
  while (is_upper(cursor, end)) ++end;
  if (is_lower(cursor, end)) {
    while (is_lower(cursor, end)) ++end;
    return end;
  }
  while (end > at && !is_lower(cursor, end - 1)) --end;  // gives back what only upper* can take
  return end;
}

// upper+ lower* where upper* lower+ has failed: only upper is left. Where it ends, or `at`.
size_t match_upper_word(const SplitCursor& cursor, size_t at) {
  while (is_upper(cursor, at)) ++at;
  return at;
}

// [^\r\n\p{L}\p{N}]? upper* lower+ contraction? | [^\r\n\p{L}\p{N}]? upper+ lower* contraction?
// | \p{N}{1,3} | ?[^\s\p{L}\p{N}]+[\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
size_t match_case_word(const SplitCursor& cursor, size_t at, const CaseOptions& options) {
  const bool prefix = cursor.lacks(at, kNewline | kLetter | kNumber);
  size_t end = at;
  for (const auto match : {match_lower_word, match_upper_word}) {
    if (prefix) {
      end = match(cursor, at + 1);
      if (end > at + 1) break;
    }
    end = match(cursor, at);
    if (end > at) break;
  }
  if (end > at) return options.contractions ? cursor.contraction(end, true) : end;
  if (cursor.has(at, kNumber)) return cursor.skip_at_most(at, kNumber, options.digits_max);
  const size_t sign = cursor.code_point(at) == ' ' ? at + 1 : at;
  if (cursor.lacks(sign, kSpaceLetterNumber)) {
    end = cursor.skip_lacking(sign, kSpaceLetterNumber);
    while (cursor.has(end, kNewline) || cursor.code_point(end) == '/') ++end;
    return end;
  }
  return cursor.white_space(at, true);
}

template <CaseOptions kOptions>
size_t match_case_word_with(const SplitCursor& cursor, size_t at) {
  return match_case_word(cursor, at, kOptions);
}

bool is_ascii_letter(uint32_t c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

bool is_ascii_sign(uint32_t c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// [!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|
// ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
size_t match_deepseek3(const SplitCursor& cursor, size_t at) {
  if (is_ascii_sign(cursor.code_point(at)) && is_ascii_letter(cursor.code_point(at + 1))) {
    size_t end = at + 1;
    while (is_ascii_letter(cursor.code_point(end))) ++end;
    return end;
  }
  constexpr uint16_t kWord = kLetter | kMark;
  if (cursor.lacks(at, kNewline | kLetter | kPunctuation | kSymbol) && cursor.has(at + 1, kWord))
    return cursor.skip(at + 1, kWord);
  if (cursor.has(at, kWord)) return cursor.skip(at, kWord);
  const size_t sign = cursor.code_point(at) == ' ' ? at + 1 : at;
  if (cursor.has(sign, kPunctuation | kSymbol))
    return cursor.skip(cursor.skip(sign, kPunctuation | kSymbol), kNewline);
  return cursor.white_space(at, true);
}

// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}
// | ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+
size_t match_exaone_moe(const SplitCursor& cursor, size_t at) {
  if (const size_t end = cursor.contraction(at, true); end > at) return end;
  const bool prefix = cursor.lacks(at, kNewline | kLetter | kNumber) && cursor.has(at + 1, kLetter);
  if (prefix || cursor.has(at, kLetter)) {
    size_t end = prefix ? at + 1 : at;
    while (cursor.has(end, kLetter)) {
      end = cursor.skip(cursor.skip(end, kLetter), kMark);
      if (cursor.code_point(end) == ' ' && cursor.has(end + 1, kLetter)) ++end;
    }
    return end;
  }
  if (cursor.has(at, kNumber)) return at + 1;
  const size_t sign = cursor.code_point(at) == ' ' ? at + 1 : at;
  if (cursor.lacks(sign, kSpaceLetterNumber)) {
    const size_t end = cursor.skip_lacking(sign, kSpaceLetterNumber);
    return cursor.has(end, kNewline) || cursor.code_point(end) == '/' ? end + 1 : end;
  }
  return cursor.white_space(at, true);
}

}  // namespace

void split_gpt2(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends, match_gpt2);
}

void split_llama3(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends, match_word_with<WordOptions{.digits_max = 3}>);
}

void split_qwen2(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends, match_word_with<WordOptions{}>);
}

// Words are [^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+, signs  ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*
void split_qwen35(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends, match_word_with<WordOptions{.word = kLetter | kMark}>);
}

void split_minicpm5(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends, match_word_with<WordOptions{.digits_max = SIZE_MAX}>);
}

// Signs are  ?[^\s\p{L}\p{N}\r\n]+
void split_seed_coder(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends, match_word_with<WordOptions{.newlines_after_signs = false}>);
}

void split_gpt4o(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends, match_case_word_with<CaseOptions{}>);
}

void split_tekken(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends, match_case_word_with<CaseOptions{.contractions = false, .digits_max = 1}>);
}

void split_youtu(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends, match_case_word_with<CaseOptions{.digits_max = 1}>);
}

void split_deepseek3(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends, match_deepseek3);
}

void split_exaone_moe(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends, match_exaone_moe);
}

}  // namespace ondol
