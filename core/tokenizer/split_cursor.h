// What the split rules share: reading characters with an end, and the parts that many patterns have in
// common.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/tokenizer/split_rules.h"

namespace ondol {

class SplitCursor {
 public:
  SplitCursor(const DecodedText& text, size_t end) : text_(text), end_(end) {}

  size_t end() const { return end_; }
  // Past the end: 0, which has not even kAny.
  uint16_t flags(size_t at) const { return at < end_ ? text_.flags[at] : uint16_t{0}; }
  uint32_t code_point(size_t at) const { return at < end_ ? text_.code_points[at] : UINT32_MAX; }
  bool has(size_t at, uint16_t any_of) const { return (flags(at) & any_of) != 0; }
  // A character that has none of the flags; false past the end.
  bool lacks(size_t at, uint16_t none_of) const { return at < end_ && (text_.flags[at] & none_of) == 0; }

  size_t skip(size_t at, uint16_t any_of) const {
    while (has(at, any_of)) ++at;
    return at;
  }
  size_t skip_lacking(size_t at, uint16_t none_of) const {
    while (lacks(at, none_of)) ++at;
    return at;
  }
  size_t skip_at_most(size_t at, uint16_t any_of, size_t count) const {
    for (; count > 0 && has(at, any_of); --count) ++at;
    return at;
  }

  // 's 't 're 've 'm 'll 'd at `at`: where it ends, or `at`.
  size_t contraction(size_t at, bool any_case) const {
    if (code_point(at) != '\'') return at;
    const auto letter = [&](size_t i) {
      const uint32_t c = code_point(i);
      if (!any_case) return c;
      return c == 0x17F ? uint32_t{'s'} : c >= 'A' && c <= 'Z' ? c + 32 : c;  // U+017F folds to s
    };
    const uint32_t first = letter(at + 1);
    if (first == 's' || first == 't' || first == 'm' || first == 'd') return at + 2;
    const uint32_t second = letter(at + 2);
    if ((first == 'r' || first == 'v') && second == 'e') return at + 3;
    return first == 'l' && second == 'l' ? at + 3 : at;
  }

  // \s*[\r\n]+|\s+(?!\S)|\s+ at `at`: where it ends, or `at`. Without newlines: \s+(?!\S)|\s+.
  size_t white_space(size_t at, bool newlines) const {
    size_t after_newline = at;
    size_t i = at;
    for (; has(i, kSpace); ++i) {
      if (has(i, kNewline)) after_newline = i + 1;
    }
    if (newlines && after_newline > at) return after_newline;
    return i < end_ && i - at > 1 ? i - 1 : i;
  }

 private:
  const DecodedText& text_;
  size_t end_;
};

// Cuts with `match(cursor, at)`, which returns where the match at `at` ends, or `at` if there is none.
template <class Match>
void split_by(const DecodedText& text, size_t begin, size_t end, Ends& ends, Match match) {
  const SplitCursor cursor(text, end);
  size_t done = begin;
  for (size_t at = begin; at < end;) {
    const size_t match_end = match(cursor, at);
    if (match_end == at) {
      ++at;
      continue;
    }
    if (at > done) ends.push_back(static_cast<uint32_t>(at));
    ends.push_back(static_cast<uint32_t>(match_end));
    at = done = match_end;
  }
  if (end > done) ends.push_back(static_cast<uint32_t>(end));
}

}  // namespace ondol
