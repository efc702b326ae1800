#include "core/tokenizer/special_tokens.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace ondol {
namespace {

// "text" as it is, tokens as <id>.
std::string shown(const SpecialTokens& special, std::string_view text) {
  std::string out;
  for (const Fragment& fragment : special.partition(text)) {
    if (!out.empty()) out += "|";
    out += fragment.id < 0 ? std::string(text.substr(fragment.begin, fragment.end - fragment.begin))
                           : "<" + std::to_string(fragment.id) + ">";
  }
  return out;
}

TEST_CASE("special tokens: what lies between tokens is text") {
  const SpecialTokens special({{"<a>", 1}, {"<b>", 2}});
  CHECK_EQ(shown(special, ""), "");
  CHECK_EQ(shown(special, "plain"), "plain");
  CHECK_EQ(shown(special, "<a>"), "<1>");
  CHECK_EQ(shown(special, "x<a><b>y<a"), "x|<1>|<2>|y<a");
  CHECK_EQ(shown(SpecialTokens(), "<a>"), "<a>");
}

TEST_CASE("special tokens: the longest token wins over the whole text, not the leftmost") {
  const SpecialTokens special({{"ab", 1}, {"bcd", 2}, {"\n", 3}, {"\n\n", 4}, {"\n\n\n", 5}});
  CHECK_EQ(shown(special, "abcd"), "a|<2>");
  CHECK_EQ(shown(special, "abcabcd"), "<1>|ca|<2>");
  CHECK_EQ(shown(special, "\n\n\n\n\n"), "<5>|<4>");
}

TEST_CASE("special tokens: white space beside a token belongs to it where the token says so") {
  const SpecialTokens special({{"<r>", 1, false, true}, {"<l>", 2, true, false}});
  CHECK_EQ(shown(special, "a <r> \n b"), "a |<1>|b");
  CHECK_EQ(shown(special, "a \t<l> b"), "a|<2>| b");
  CHECK_EQ(shown(special, " <l>"), "<2>");
  CHECK_EQ(shown(special, "<r> "), "<1>");
  CHECK_EQ(shown(special, "<r> <l>"), "<1>|<2>");
}

TEST_CASE("special tokens: random texts are cut as by one search a token, longest first") {
  uint32_t state = 7;
  const auto next = [&state](uint32_t bound) {
    return state = state * 1664525 + 1013904223, (state >> 16) % bound;
  };
  const auto word = [&](uint32_t length) {
    std::string text;
    for (; length > 0; --length) text += static_cast<char>('a' + next(3));
    return text;
  };
  for (int round = 0; round < 500; ++round) {
    std::vector<std::string> texts;
    // One token of each length: between tokens of one length the order is nobody's promise.
    for (uint32_t length = 1; length < 6; ++length) {
      if (next(2) == 0) texts.push_back(word(length));
    }
    std::vector<SpecialToken> tokens;
    for (size_t i = 0; i < texts.size(); ++i) tokens.push_back({texts[i], static_cast<int32_t>(i)});
    const std::string text = word(next(40));

    std::vector<Fragment> expected;
    if (!text.empty()) expected.push_back({-1, 0, text.size()});
    for (size_t i = texts.size(); i-- > 0;) {
      std::vector<Fragment> finer;
      for (const Fragment& fragment : expected) {
        size_t done = fragment.begin;
        for (size_t at = text.find(texts[i], done);
             fragment.id < 0 && at != std::string::npos && at + texts[i].size() <= fragment.end;
             at = text.find(texts[i], done)) {
          if (at > done) finer.push_back({-1, done, at});
          done = at + texts[i].size();
          finer.push_back({static_cast<int32_t>(i), at, done});
        }
        if (fragment.id >= 0) finer.push_back(fragment);
        if (fragment.id < 0 && done < fragment.end) finer.push_back({-1, done, fragment.end});
      }
      expected = finer;
    }
    const std::vector<Fragment> got = SpecialTokens(tokens).partition(text);
    CHECK(std::equal(got.begin(), got.end(), expected.begin(), expected.end(),
                     [](const Fragment& a, const Fragment& b) {
                       return a.id == b.id && a.begin == b.begin && a.end == b.end;
                     }));
  }
}

}  // namespace
}  // namespace ondol
