#include "core/engine/text_assembler.h"

#include <doctest/doctest.h>

#include <random>

#include "core/engine/byte_tokenizer.h"

namespace ondol {
namespace {

struct Outcome {
  std::string text;
  std::vector<TokenId> ids;
  std::string logprob_bytes;
  bool stopped = false;
};

Outcome run(const Tokenizer& tokenizer, const std::vector<TokenId>& ids,
            const std::vector<std::string>& stops) {
  TextAssembler assembler(tokenizer, stops);
  Outcome outcome;
  const auto take = [&](AssembledText&& part) {
    CHECK(is_valid_utf8(part.text));
    CHECK(part.ids.size() == part.logprobs.size());
    outcome.text += part.text;
    outcome.ids.insert(outcome.ids.end(), part.ids.begin(), part.ids.end());
    for (const auto& logprob : part.logprobs) outcome.logprob_bytes += logprob.bytes;
  };
  for (TokenId id : ids) {
    const TokenLogprob logprob{id, tokenizer.piece(id, true), -1.0f, {}};
    take(assembler.push(id, &logprob));
    if (assembler.stopped()) break;
  }
  take(assembler.finish());
  outcome.stopped = assembler.stopped();
  return outcome;
}

std::vector<TokenId> bytes(const std::string& text) { return ByteTokenizer().encode(text, false); }

TEST_CASE("B14: a stop string in the middle of a token cuts before it") {
  ByteTokenizer tokenizer({"DEF"});
  auto outcome = run(tokenizer, {257}, {"DE"});
  CHECK(outcome.stopped);
  CHECK(outcome.text.empty());
  CHECK(outcome.ids.empty());
  outcome = run(tokenizer, {'a', 257, 'b'}, {"EF"});
  CHECK(outcome.stopped);
  CHECK(outcome.text == "aD");
  CHECK(outcome.ids == std::vector<TokenId>{'a', 257});
}

TEST_CASE("stop strings: nothing that may become part of one is shown early, and all of it otherwise") {
  ByteTokenizer tokenizer;
  auto outcome = run(tokenizer, bytes("abcabx"), {"abcabd"});
  CHECK_FALSE(outcome.stopped);
  CHECK(outcome.text == "abcabx");
  outcome = run(tokenizer, bytes("xabcabcabd!"), {"abcabd", "zzz"});
  CHECK(outcome.stopped);
  CHECK(outcome.text == "xabc");
  CHECK(outcome.ids.size() == 4);
  outcome = run(tokenizer, bytes("aab"), {"ab", "aab"});
  CHECK(outcome.text.empty());
  TextAssembler assembler(tokenizer, {"stop"});
  CHECK(assembler.push('s', nullptr).text.empty());
  CHECK(assembler.push('t', nullptr).text.empty());
  CHECK(assembler.push('a', nullptr).text == "sta");
}

TEST_CASE("stop strings: random texts agree with a plain search") {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (int i = 0; i < 30; ++i) text += static_cast<char>('a' + random() % 2);
    std::vector<std::string> stops;
    for (int i = 0; i < 3; ++i) {
      std::string stop;
      for (size_t length = 1 + random() % 6; stop.size() < length;)
        stop += static_cast<char>('a' + random() % 2);
      stops.push_back(stop + "ab"[random() % 2]);
    }
    // The stop that is complete first; among equals the one that began first.
    std::string expected = text;
    for (size_t end = 1; end <= text.size() && expected.size() == text.size(); ++end)
      for (const auto& stop : stops)
        if (end >= stop.size() && text.compare(end - stop.size(), stop.size(), stop) == 0)
          if (end - stop.size() < expected.size()) expected = text.substr(0, end - stop.size());
    CHECK(run(ByteTokenizer(), bytes(text), stops).text == expected);
  }
}

TEST_CASE("B11: an answer that ends inside a character ends with one replacement mark") {
  const std::string text = "가나다 😀";
  for (size_t length = 1; length <= text.size(); ++length) {
    const std::string cut = text.substr(0, length);
    CHECK(run(ByteTokenizer(), bytes(cut), {}).text == to_valid_utf8(cut));
  }
}

TEST_CASE("B29: the bytes of the log-probabilities join to the answer, whatever the cut") {
  const std::string text = "온돌 😀 é";
  auto outcome = run(ByteTokenizer(), bytes(text), {});
  CHECK(outcome.text == text);
  CHECK(outcome.logprob_bytes == text);
  CHECK(outcome.ids.size() == text.size());
  outcome = run(ByteTokenizer(), bytes(text), {"😀"});
  CHECK(outcome.text == "온돌 ");
  CHECK(outcome.logprob_bytes == "온돌 ");
}

}  // namespace
}  // namespace ondol
