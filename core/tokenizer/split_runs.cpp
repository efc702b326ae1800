// The rules that cut out one kind of run and leave the rest between. Each comment is the published pattern.
#include <algorithm>
#include <iterator>

#include "core/tokenizer/split_cursor.h"

namespace ondol {
namespace {

struct CodePointRange {
  uint32_t first;
  uint32_t last;
};

template <size_t kCount>
bool is_in(const CodePointRange (&ranges)[kCount], uint32_t code_point) {
  const auto range = std::lower_bound(std::begin(ranges), std::end(ranges), code_point,
                                      [](const CodePointRange& r, uint32_t c) { return r.last < c; });
  return range != std::end(ranges) && range->first <= code_point;
}

// Cuts out [set]+, or with `space_in_front` \s?[set]+.
template <class IsIn>
void split_runs(const DecodedText& text, size_t begin, size_t end, Ends& ends, bool space_in_front,
                IsIn is_in_set) {
  split_by(text, begin, end, ends, [&](const SplitCursor& cursor, size_t at) {
    size_t i =
        space_in_front && cursor.has(at, kSpace) && at + 1 < end && is_in_set(cursor, at + 1) ? at + 1 : at;
    const size_t start = i;
    while (i < end && is_in_set(cursor, i)) ++i;
    return i > start ? i : at;
  });
}

template <size_t kCount>
void split_runs(const DecodedText& text, size_t begin, size_t end, Ends& ends, bool space_in_front,
                const CodePointRange (&ranges)[kCount]) {
  split_runs(text, begin, end, ends, space_in_front,
             [&](const SplitCursor& cursor, size_t at) { return is_in(ranges, cursor.code_point(at)); });
}

// [一-龥぀-ゟ゠-ヿ]
constexpr CodePointRange kCjkKana[] = {{0x3040, 0x309F}, {0x30A0, 0x30FF}, {0x4E00, 0x9FA5}};
// [一-龥ࠀ-一가-퟿]
constexpr CodePointRange kCjkHangul[] = {{0x0800, 0x9FA5}, {0xAC00, 0xD7FF}};
// [가-힣ㄱ-ㆎ]
constexpr CodePointRange kYoutuHangul[] = {{0x3131, 0x318E}, {0xAC00, 0xD7A3}};
// [！…“”‘’—：；，、-〿︰-﹏]
constexpr CodePointRange kYoutuSigns[] = {{0x2014, 0x2014}, {0x2018, 0x2019}, {0x201C, 0x201D},
                                          {0x2026, 0x2026}, {0x3001, 0x303F}, {0xFE30, 0xFE4F},
                                          {0xFF01, 0xFF01}, {0xFF0C, 0xFF0C}, {0xFF1A, 0xFF1B}};
// [ㄅ-ㄯ]
constexpr CodePointRange kYoutuBopomofo[] = {{0x3105, 0x312F}};
// [!-/:-~！-／：-～‘-‟　-。]
constexpr CodePointRange kListedSigns[] = {{0x21, 0x2F},     {0x3A, 0x7E},     {0x2018, 0x201F},
                                           {0x3000, 0x3002}, {0xFF01, 0xFF0F}, {0xFF1A, 0xFF5E}};
// The cased letters that deepseek-llm's pattern lists.
constexpr CodePointRange kCasedLetters[] = {
    {0x41, 0x5A},       {0x61, 0x7A},       {0xB5, 0xB5},       {0xC0, 0xD6},       {0xD8, 0xF6},
    {0xF8, 0x1BA},      {0x1BC, 0x1BF},     {0x1C4, 0x293},     {0x295, 0x2AF},     {0x370, 0x373},
    {0x376, 0x377},     {0x37B, 0x37D},     {0x37F, 0x37F},     {0x386, 0x386},     {0x388, 0x38A},
    {0x38C, 0x38C},     {0x38E, 0x3A1},     {0x3A3, 0x3F5},     {0x3F7, 0x481},     {0x48A, 0x52F},
    {0x531, 0x556},     {0x10A0, 0x10C5},   {0x13A0, 0x13F5},   {0x13F8, 0x13FD},   {0x1C90, 0x1CBA},
    {0x1CBD, 0x1CBF},   {0x1D00, 0x1D2B},   {0x1D6B, 0x1D77},   {0x1D79, 0x1D9A},   {0x1E00, 0x1F15},
    {0x1F18, 0x1F1D},   {0x1F20, 0x1F45},   {0x1F48, 0x1F4D},   {0x1F50, 0x1F57},   {0x1F59, 0x1F59},
    {0x1F5B, 0x1F5B},   {0x1F5D, 0x1F5D},   {0x1F5F, 0x1F7D},   {0x1F80, 0x1FB4},   {0x1FB6, 0x1FBC},
    {0x1FBE, 0x1FBE},   {0x1FC2, 0x1FC4},   {0x1FC6, 0x1FCC},   {0x1FD0, 0x1FD3},   {0x1FD6, 0x1FDB},
    {0x1FE0, 0x1FEC},   {0x1FF2, 0x1FF4},   {0x1FF6, 0x1FFC},   {0x2102, 0x2102},   {0x2107, 0x2107},
    {0x210A, 0x2113},   {0x2115, 0x2115},   {0x2119, 0x211D},   {0x2124, 0x2124},   {0x2126, 0x2126},
    {0x2128, 0x2128},   {0x212A, 0x212D},   {0x212F, 0x2134},   {0x2139, 0x2139},   {0x213C, 0x213F},
    {0x2145, 0x2149},   {0x214E, 0x214E},   {0x2183, 0x2184},   {0x2C00, 0x2C7B},   {0x2C7E, 0x2CE4},
    {0x2CEB, 0x2CEE},   {0x2CF2, 0x2CF3},   {0xA640, 0xA66D},   {0xA680, 0xA69B},   {0xA722, 0xA76F},
    {0xA771, 0xA787},   {0xA78B, 0xA78E},   {0xAB70, 0xABBF},   {0xFB00, 0xFB06},   {0xFB13, 0xFB17},
    {0xFF21, 0xFF3A},   {0xFF41, 0xFF5A},   {0x10400, 0x1044F}, {0x104B0, 0x104D3}, {0x104D8, 0x104FB},
    {0x10C80, 0x10CB2}, {0x10CC0, 0x10CF2}, {0x118A0, 0x118DF}, {0x1E900, 0x1E943}};
// What ends a word of bloom's pattern, white space apart: ( | . , ! ? … 。 ， 、 । ۔ ، )
constexpr CodePointRange kBloomStops[] = {
    {0x21, 0x21},   {0x28, 0x29},   {0x2C, 0x2C},   {0x2E, 0x2E},     {0x3F, 0x3F},     {0x7C, 0x7C},
    {0x60C, 0x60C}, {0x6D4, 0x6D4}, {0x964, 0x964}, {0x2026, 0x2026}, {0x3001, 0x3002}, {0xFF0C, 0xFF0C}};

bool is_default_sign(const SplitCursor& cursor, size_t at) {
  if (cursor.has(at, kPunctuation)) return true;
  switch (cursor.code_point(at)) {
    case '$':
    case '+':
    case '<':
    case '=':
    case '>':
    case '^':
    case '~':
    case '|': return true;
    default: return false;
  }
}

}  // namespace

void split_digits_one(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends,
           [](const SplitCursor& cursor, size_t at) { return cursor.skip_at_most(at, kNumber, 1); });
}

void split_digits_three(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends,
           [](const SplitCursor& cursor, size_t at) { return cursor.skip_at_most(at, kNumber, 3); });
}

void split_digits_all(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends,
           [](const SplitCursor& cursor, size_t at) { return cursor.skip(at, kNumber); });
}

void split_ascii_digits_three(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends, [](const SplitCursor& cursor, size_t at) {
    for (size_t i = at; i < at + 3; ++i) {
      if (cursor.code_point(i) < '0' || cursor.code_point(i) > '9') return at;
    }
    return at + 3;
  });
}

// \d{1,3}(?=(?:\d{3})*\b): all digits of a run or, before a letter, none.
void split_digits_grouped(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  const SplitCursor cursor(text, end);
  size_t done = begin;
  for (size_t at = begin; at < end;) {
    const size_t run_end = cursor.skip(at, kDigit);
    if (run_end == at) {
      ++at;
      continue;
    }
    if (!cursor.has(run_end, kLetter | kMark | kConnector | kLetterNumber)) {
      if (at > done) ends.push_back(static_cast<uint32_t>(at));
      const size_t first = (run_end - at) % 3;
      for (done = at + (first == 0 ? 3 : first); done <= run_end; done += 3)
        ends.push_back(static_cast<uint32_t>(done));
      done = run_end;
    }
    at = run_end;
  }
  if (end > done) ends.push_back(static_cast<uint32_t>(end));
}

// [\p{P}\$\+<=>\^~\|]+
void split_default_signs(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_runs(text, begin, end, ends, false, is_default_sign);
}

// [\p{P}\$\+<=>\^~\|`]+
void split_falcon_signs(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_runs(text, begin, end, ends, false, [](const SplitCursor& cursor, size_t at) {
    return is_default_sign(cursor, at) || cursor.code_point(at) == '`';
  });
}

void split_newlines_one(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends,
           [](const SplitCursor& cursor, size_t at) { return cursor.skip_at_most(at, kNewline, 1); });
}

void split_lines(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends, [](const SplitCursor& cursor, size_t at) {
    size_t i = at;
    while (cursor.code_point(i) == '\n') ++i;
    return i;
  });
}

void split_cjk_kana(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_runs(text, begin, end, ends, false, kCjkKana);
}

void split_cjk_hangul(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_runs(text, begin, end, ends, false, kCjkHangul);
}

// [가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+
void split_youtu_scripts(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  const auto script = [](uint32_t code_point) {
    if (is_in(kYoutuHangul, code_point)) return 1;
    if (is_in(kYoutuSigns, code_point)) return 2;
    if (is_in(kYoutuBopomofo, code_point)) return 3;
    return is_in(kCjkKana, code_point) ? 4 : 0;
  };
  split_by(text, begin, end, ends, [&](const SplitCursor& cursor, size_t at) {
    const int first = script(cursor.code_point(at));
    size_t i = at;
    while (first != 0 && script(cursor.code_point(i)) == first) ++i;
    return i;
  });
}

//  ?[^(\s|.,!?…。，、।۔،)]+
void split_bloom(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_by(text, begin, end, ends, [](const SplitCursor& cursor, size_t at) {
    const size_t start = cursor.code_point(at) == ' ' ? at + 1 : at;
    size_t i = start;
    while (cursor.lacks(i, kSpace) && !is_in(kBloomStops, cursor.code_point(i))) ++i;
    return i > start ? i : at;
  });
}

void split_space_letters(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_runs(text, begin, end, ends, true,
             [](const SplitCursor& cursor, size_t at) { return cursor.has(at, kLetter); });
}

void split_space_signs(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_runs(text, begin, end, ends, true,
             [](const SplitCursor& cursor, size_t at) { return cursor.has(at, kPunctuation); });
}

void split_space_cased_letters(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_runs(text, begin, end, ends, true, kCasedLetters);
}

void split_space_listed_signs(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  split_runs(text, begin, end, ends, true, kListedSigns);
}

void split_trailing_space(const DecodedText& text, size_t begin, size_t end, Ends& ends) {
  size_t start = end;
  while (start > begin && (text.flags[start - 1] & kSpace) != 0) --start;
  if (start > begin) ends.push_back(static_cast<uint32_t>(start));
  if (end > start) ends.push_back(static_cast<uint32_t>(end));
}

}  // namespace ondol
