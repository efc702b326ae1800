#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/tokenizer/test_vocabularies.h"
#include "core/tokenizer/tokenizer.h"

namespace ondol {
namespace {

std::string streamed(const Tokenizer& tokenizer, const std::vector<TokenId>& ids, bool at_start) {
  StreamDecoder decoder(tokenizer, at_start);
  std::string text;
  for (const TokenId id : ids) {
    const std::string piece = decoder.push(id);
    CHECK(is_valid_utf8(piece));
    text += piece;
  }
  return text + decoder.flush();
}

TEST_CASE("stream: B07 joined pieces equal the decoding of all ids, for random ids, BPE and SentencePiece") {
  uint32_t state = 17;
  const auto next = [&state](uint32_t bound) {
    return state = state * 1664525 + 1013904223, (state >> 12) % bound;
  };
  const std::unique_ptr<Tokenizer> tokenizers[] = {make_tokenizer(bpe_test_vocabulary()).value(),
                                                   make_tokenizer(spm_test_vocabulary(true)).value(),
                                                   make_tokenizer(spm_test_vocabulary(false)).value()};
  for (const auto& tokenizer : tokenizers) {
    const auto size = static_cast<uint32_t>(tokenizer->size());
    for (int round = 0; round < 2000; ++round) {
      std::vector<TokenId> ids;
      // Half of the ids are the byte tokens of one Hangul syllable and its like, to meet whole characters
      // often.
      for (uint32_t length = next(12); length > 0; --length) {
        const std::string_view byte = std::string_view("\xEA\xB0\x80\xF0\x9F\x99\x82 ").substr(next(8), 1);
        const std::vector<TokenId> encoded = tokenizer->encode(byte, false);
        ids.push_back(next(2) == 0 || encoded.empty() ? static_cast<TokenId>(next(size)) : encoded.back());
      }
      for (const bool at_start : {false, true})
        CHECK_EQ(streamed(*tokenizer, ids, at_start), to_valid_utf8(tokenizer->decode(ids, false, at_start)));
    }
  }
}

TEST_CASE("stream: B07 words of a SentencePiece answer do not run together, a first space is kept") {
  const auto tokenizer = make_tokenizer(spm_test_vocabulary()).value();
  const std::vector<TokenId> ids{*tokenizer->find("▁hello"), *tokenizer->find("▁world")};
  CHECK_EQ(streamed(*tokenizer, ids, false), " hello world");
  CHECK_EQ(streamed(*tokenizer, ids, true), "hello world");
}

TEST_CASE("stream: B11 an answer cut inside a Hangul syllable ends in at most one U+FFFD") {
  const auto tokenizer = make_tokenizer(bpe_test_vocabulary()).value();
  const std::string answer = "안녕하세요 🙂 가나";
  const std::vector<TokenId> ids = tokenizer->encode(answer, false);
  for (size_t count = 0; count <= ids.size(); ++count) {
    StreamDecoder decoder(*tokenizer);
    std::string text;
    for (size_t i = 0; i < count; ++i) text += decoder.push(ids[i]);
    CHECK(is_valid_utf8(text));
    CHECK_EQ(answer.substr(0, text.size()), text);  // whole characters so far
    const std::string rest = decoder.flush();
    CHECK((rest.empty() || rest == "\uFFFD"));
    CHECK_EQ(decoder.flush(), "");
    if (count == ids.size()) CHECK_EQ(text + rest, answer);
  }
}

TEST_CASE("stream: a character comes out with its last byte, a broken one with the byte that breaks it") {
  const auto tokenizer = make_tokenizer(bpe_test_vocabulary()).value();
  StreamDecoder decoder(*tokenizer);
  CHECK_EQ(decoder.push(0xEB), "");
  CHECK_EQ(decoder.push(0x82), "");
  CHECK_EQ(decoder.push(0x98), "나");
  CHECK_EQ(decoder.push(0xEB), "");
  CHECK_EQ(decoder.push('a'), "\uFFFDa");
  CHECK_EQ(decoder.push(0xFF), "\uFFFD");
  CHECK_EQ(decoder.push(kTestEnd), "");
  CHECK_EQ(decoder.push(0xF0), "");
  CHECK_EQ(decoder.flush(), "\uFFFD");
}

}  // namespace
}  // namespace ondol
