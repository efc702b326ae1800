#include "core/tokenizer/pre_tokenizer.h"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "core/tokenizer/utf8.h"

namespace ondol {
namespace {

// Undoes the escapes of split_cases.txt.
std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    switch (text[++i]) {
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      case '\\': out += '\\'; break;
      default: {
        const size_t close = text.find('}', i);
        append_utf8(
            static_cast<uint32_t>(std::stoul(std::string(text.substr(i + 2, close - i - 2)), nullptr, 16)),
            out);
        i = close;
      }
    }
  }
  return out;
}

std::vector<std::string> pieces_of(const PreTokenizer& pre_tokenizer, std::string_view text) {
  std::vector<std::string> pieces;
  size_t begin = 0;
  for (const uint32_t end : pre_tokenizer.split(text)) {
    pieces.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return pieces;
}

TEST_CASE("pre-tokenizer: B03 texts are cut as each published pattern cuts them") {
  constexpr std::string_view kBar = "¦";
  std::ifstream file(ONDOL_TEST_DATA "/split_cases.txt");
  std::string line;
  int cases = 0;
  std::set<std::string> names;
  while (std::getline(file, line)) {
    const size_t tab = line.find('\t');
    REQUIRE(tab != std::string::npos);
    const std::string name = line.substr(0, tab);
    std::vector<std::string> expected;
    std::string text;
    for (std::string_view rest = std::string_view(line).substr(tab + 1);;) {
      const size_t bar = rest.find(kBar);
      expected.push_back(unescaped(rest.substr(0, bar)));
      text += expected.back();
      if (bar == std::string_view::npos) break;
      rest.remove_prefix(bar + kBar.size());
    }
    const Result<PreTokenizer> pre_tokenizer = find_pre_tokenizer(name);
    REQUIRE(pre_tokenizer);
    CAPTURE(line);
    CHECK_EQ(pieces_of(*pre_tokenizer, text), expected);
    names.insert(name);
    ++cases;
  }
  CHECK_GE(cases, 1500);
  CHECK_GE(names.size(), 36);
}

TEST_CASE("pre-tokenizer: B03 an accent, a dash, digits and an emoji in one line") {
  const auto pieces = [](std::string_view name) {
    return pieces_of(*find_pre_tokenizer(name), "Café—123 🙂");
  };
  using Pieces = std::vector<std::string>;
  CHECK_EQ(pieces("gpt-2"), Pieces{"Café", "—", "123", " 🙂"});
  CHECK_EQ(pieces("smollm"), Pieces{"Café", "—", "1", "2", "3", " 🙂"});
  CHECK_EQ(pieces("llama-bpe"), Pieces{"Café", "—", "123", " 🙂"});
  CHECK_EQ(pieces("qwen2"), Pieces{"Café", "—", "1", "2", "3", " 🙂"});
  CHECK_EQ(pieces("tekken"), Pieces{"Café", "—", "1", "2", "3", " 🙂"});
}

TEST_CASE("pre-tokenizer: B03 an unknown name is refused by name, a missing one is the default") {
  const Result<PreTokenizer> unknown = find_pre_tokenizer("made-up-bpe");
  REQUIRE_FALSE(unknown);
  CHECK_EQ(unknown.error().code, Code::kUnsupported);
  CHECK_NE(unknown.error().text().find("'made-up-bpe'"), std::string::npos);
  CHECK_EQ(find_pre_tokenizer("")->name, "default");
}

TEST_CASE("pre-tokenizer: the pieces of any bytes are those bytes, in every family") {
  uint32_t state = 1;
  const auto next = [&state] { return state = state * 1664525 + 1013904223, state >> 24; };
  const std::set<std::string_view> unique = [] {
    const std::vector<std::string_view> names = pre_tokenizer_names();
    return std::set<std::string_view>(names.begin(), names.end());
  }();
  CHECK_EQ(unique.size(), pre_tokenizer_names().size());
  for (const std::string_view name : unique) {
    const PreTokenizer pre_tokenizer = *find_pre_tokenizer(name);
    CHECK(pre_tokenizer.split("").empty());
    for (int round = 0; round < 40; ++round) {
      std::string text;
      for (uint32_t length = next() % 64; length > 0; --length) text.push_back(static_cast<char>(next()));
      std::string joined;
      for (const std::string& piece : pieces_of(pre_tokenizer, text)) {
        CHECK_FALSE(piece.empty());
        joined += piece;
      }
      CHECK_EQ(joined, text);
    }
  }
}

}  // namespace
}  // namespace ondol
