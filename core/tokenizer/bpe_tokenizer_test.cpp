#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/tokenizer/test_vocabularies.h"
#include "core/tokenizer/tokenizer.h"

namespace ondol {
namespace {

using Texts = std::vector<std::string>;

std::unique_ptr<Tokenizer> bpe(std::string pre = "gpt-2") {
  return make_tokenizer(bpe_test_vocabulary(std::move(pre))).value();
}

// The bytes of each token.
Texts pieces(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  Texts result;
  for (const TokenId id : ids) result.push_back(tokenizer.piece(id, true));
  return result;
}

TEST_CASE("bpe: the merge learned first is made first, within the pieces of the text") {
  const auto tokenizer = bpe();
  CHECK_EQ(pieces(*tokenizer, tokenizer->encode("hello world", false)), Texts{"hello", " world"});
  CHECK_EQ(pieces(*tokenizer, tokenizer->encode("hellohell", false)), Texts{"hello", "hell"});
  CHECK_EQ(pieces(*tokenizer, tokenizer->encode("가나", false)), Texts{"가", "\xEB", "\x82", "\x98"});
  CHECK_EQ(pieces(*tokenizer, tokenizer->encode("aaaaaaa", false)), Texts{"aaaa", "aa", "a"});
  CHECK(tokenizer->encode("", false).empty());
}

TEST_CASE("bpe: control tokens come from a text only when they are asked for, user-defined ones always") {
  const auto tokenizer = bpe();
  const std::string text = "<|im_start|>a<tool_call>\n\n<|im_end|>";
  CHECK_EQ(tokenizer->encode(text, true),
           std::vector<TokenId>{kTestStart, 'a', kTestToolCall, kTestTwoBreaks, kTestEnd});
  const std::vector<TokenId> plain = tokenizer->encode(text, false);
  for (const TokenId id : plain) CHECK_NE(tokenizer->kind(id), TokenKind::kControl);
  CHECK_NE(std::find(plain.begin(), plain.end(), kTestToolCall), plain.end());
  CHECK_EQ(tokenizer->decode(plain, false), text);
}

TEST_CASE("bpe: spans of one kind are joined, merges do not cross a change, content is never control") {
  const auto tokenizer = bpe();
  const TextSpan spans[] = {
      {"<|im_", true}, {"start|>he", true}, {"ll", false}, {"", true}, {"o<|im_end|>", false}};
  const std::vector<TokenId> ids = tokenizer->encode(spans);
  Texts expected{"<|im_start|>", "he", "ll", "o"};
  CHECK_EQ(Texts(pieces(*tokenizer, ids)).front(), "<|im_start|>");
  CHECK_EQ(tokenizer->kind(ids[0]), TokenKind::kControl);
  for (size_t i = 1; i < ids.size(); ++i) CHECK_EQ(tokenizer->kind(ids[i]), TokenKind::kNormal);
  const Texts got = pieces(*tokenizer, ids);
  CHECK_EQ(Texts(got.begin(), got.begin() + 4), expected);
  CHECK_EQ(tokenizer->decode(ids, true), "<|im_start|>hello<|im_end|>");
}

TEST_CASE("bpe: a merge or a whole piece that spells a control token does not make it") {
  for (const std::string pre : {"gpt-2", "llama-bpe"}) {
    Vocabulary vocabulary = bpe_test_vocabulary(pre);
    add_token(vocabulary, "stop", TokenKind::kControl);
    vocabulary.merges.insert(vocabulary.merges.end(), {"s t", "o p", "st op"});
    const auto tokenizer = make_tokenizer(std::move(vocabulary)).value();
    const std::vector<TokenId> ids = tokenizer->encode("stop", false);
    CHECK_EQ(ids, std::vector<TokenId>{'s', 't', 'o', 'p'});
    CHECK_EQ(tokenizer->encode("stop", true), std::vector<TokenId>{*tokenizer->find("stop")});
  }
}

TEST_CASE("bpe: llama-bpe takes a piece that is a token whole, where merges would not reach it") {
  Vocabulary vocabulary = bpe_test_vocabulary("llama-bpe");
  const TokenId whole = add_token(vocabulary, "xyz", TokenKind::kNormal);
  const auto tokenizer = make_tokenizer(vocabulary).value();
  CHECK_EQ(tokenizer->encode("xyz", false), std::vector<TokenId>{whole});
  CHECK(tokenizer->adds_bos());
  vocabulary.pre = "qwen2";
  CHECK_EQ(make_tokenizer(vocabulary).value()->encode("xyz", false), std::vector<TokenId>{'x', 'y', 'z'});
}

TEST_CASE("bpe: a byte that the vocabulary lacks becomes the unknown token") {
  Vocabulary vocabulary = bpe_test_vocabulary();
  vocabulary.tokens['q'] = "(q is missing)";
  vocabulary.unknown = kTestEndOfText;
  const auto tokenizer = make_tokenizer(std::move(vocabulary)).value();
  CHECK_EQ(tokenizer->encode("aqa", false), std::vector<TokenId>{'a', kTestEndOfText, 'a'});
}

TEST_CASE("bpe: a merge whose result is no token falls apart into bytes") {
  Vocabulary vocabulary = bpe_test_vocabulary();
  vocabulary.merges.insert(vocabulary.merges.begin(), "x y");
  const auto tokenizer = make_tokenizer(std::move(vocabulary)).value();
  CHECK_EQ(tokenizer->encode("xy", false), std::vector<TokenId>{'x', 'y'});
}

TEST_CASE("bpe: short and long pieces merge as the plain definition says") {
  uint32_t state = 3;
  const auto next = [&state](uint32_t bound) {
    return state = state * 1664525 + 1013904223, (state >> 16) % bound;
  };
  for (int round = 0; round < 60; ++round) {
    // Random merges over a, b, c; each result is a token.
    Vocabulary vocabulary = bpe_test_vocabulary();
    vocabulary.merges.clear();
    Texts symbols{"a", "b", "c"};
    std::map<std::pair<std::string, std::string>, size_t> ranks;
    while (ranks.size() < 12) {
      const std::string left = symbols[next(static_cast<uint32_t>(symbols.size()))];
      const std::string right = symbols[next(static_cast<uint32_t>(symbols.size()))];
      if (left.size() + right.size() > 9 || !ranks.try_emplace({left, right}, ranks.size()).second) continue;
      vocabulary.merges.push_back(left + " " + right);
      if (std::find(symbols.begin(), symbols.end(), left + right) == symbols.end()) {
        symbols.push_back(left + right);
        if (left + right != "aa" && left + right != "aaaa")
          add_token(vocabulary, left + right, TokenKind::kNormal);
      }
    }
    const auto tokenizer = make_tokenizer(std::move(vocabulary)).value();
    for (int text_round = 0; text_round < 20; ++text_round) {
      std::string text;
      for (uint32_t length = 1 + next(80); length > 0; --length) text += static_cast<char>('a' + next(3));
      Texts expected;
      for (const char c : text) expected.emplace_back(1, c);
      for (;;) {
        size_t best = expected.size();
        size_t best_rank = ranks.size();
        for (size_t i = 0; i + 1 < expected.size(); ++i) {
          const auto rank = ranks.find({expected[i], expected[i + 1]});
          if (rank != ranks.end() && rank->second < best_rank) best = i, best_rank = rank->second;
        }
        if (best == expected.size()) break;
        expected[best] += expected[best + 1];
        expected.erase(expected.begin() + static_cast<ptrdiff_t>(best) + 1);
      }
      CHECK_EQ(pieces(*tokenizer, tokenizer->encode(text, false)), expected);
    }
  }
}

TEST_CASE("bpe: any bytes come back from their tokens, with every pre-tokenizer") {
  uint32_t state = 5;
  const auto next = [&state] { return state = state * 1664525 + 1013904223, state >> 24; };
  for (const std::string_view pre : pre_tokenizer_names()) {
    if (find_pre_tokenizer(pre)->plain_utf8) continue;  // their vocabularies have another alphabet
    const auto tokenizer = bpe(std::string(pre));
    for (int round = 0; round < 20; ++round) {
      std::string text;
      for (uint32_t length = next() % 100; length > 0; --length)
        text += next() % 2 == 0 ? static_cast<char>(next()) : "helo wrd\na1'가"[next() % 13];
      CHECK_EQ(tokenizer->decode(tokenizer->encode(text, false), false), text);
    }
  }
}

TEST_CASE(
    "bpe: gemma4 merges characters, writes spaces as U+2581, keeps newlines apart and falls back to bytes") {
  Vocabulary vocabulary = spm_test_vocabulary();
  vocabulary.model = "gemma4";
  const TokenId breaks = add_token(vocabulary, "\n\n", TokenKind::kNormal);
  vocabulary.merges = {"h e", "l l", "he ll", "hell o", "▁ w", "o r", "▁w or", "l d", "▁wor ld"};
  const auto tokenizer = make_tokenizer(std::move(vocabulary)).value();
  CHECK_EQ(tokenizer->pre_name(), "gemma4");
  const std::vector<TokenId> ids = tokenizer->encode("hello world\n\n녕é", false);
  CHECK_EQ(pieces(*tokenizer, ids), Texts{"hello", " world", "\n\n", "녕", "\xC3", "\xA9"});
  CHECK_EQ(ids[2], breaks);
  CHECK_EQ(tokenizer->decode(ids, false), "hello world\n\n녕é");
}

TEST_CASE("bpe: ends of generation are known by id and by spelling") {
  Vocabulary vocabulary = bpe_test_vocabulary();
  const TokenId turn = add_token(vocabulary, "<end_of_turn>", TokenKind::kNormal);
  const TokenId tag = add_token(vocabulary, "</s>", TokenKind::kUserDefined);
  vocabulary.eot = 'e';
  const auto tokenizer = make_tokenizer(std::move(vocabulary)).value();
  CHECK(tokenizer->is_end_of_generation(kTestEndOfText));
  CHECK(tokenizer->is_end_of_generation(kTestEnd));
  CHECK(tokenizer->is_end_of_generation('e'));
  CHECK_FALSE(tokenizer->is_end_of_generation(kTestStart));
  CHECK_FALSE(tokenizer->is_end_of_generation(-1));
  CHECK(tokenizer->is_end_of_generation(turn));
  CHECK_EQ(tokenizer->kind(turn), TokenKind::kControl);  // whatever the file says
  // An HTML tag in some vocabularies: it does not end the answer, but a text does not make it either.
  CHECK_FALSE(tokenizer->is_end_of_generation(tag));
  CHECK_EQ(tokenizer->piece(tag, false), "</s>");
  CHECK_EQ(tokenizer->encode("</s>", false), std::vector<TokenId>{'<', '/', 's', '>'});
}

TEST_CASE("bpe: ids outside the vocabulary are harmless") {
  const auto tokenizer = bpe();
  for (const TokenId id : {-1, tokenizer->size(), 1 << 30}) {
    CHECK_EQ(tokenizer->piece(id, true), "");
    CHECK_EQ(tokenizer->raw_text(id), "");
    CHECK_EQ(tokenizer->kind(id), TokenKind::kUnused);
  }
}

}  // namespace
}  // namespace ondol
