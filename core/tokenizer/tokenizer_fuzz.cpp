// Fuzz target: whatever the bytes, their tokens give them back, content makes no control token, spans equal
// the whole where nothing can join, and streaming equals decoding.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "core/tokenizer/pre_tokenizer.h"
#include "core/tokenizer/test_vocabularies.h"
#include "core/tokenizer/tokenizer.h"

namespace {

using ondol::TokenId;
using ondol::Tokenizer;

std::vector<std::unique_ptr<Tokenizer>> make_tokenizers() {
  std::vector<std::unique_ptr<Tokenizer>> tokenizers;
  for (const std::string_view pre : ondol::pre_tokenizer_names()) {
    if (!ondol::find_pre_tokenizer(pre)->plain_utf8)
      tokenizers.push_back(ondol::make_tokenizer(ondol::bpe_test_vocabulary(std::string(pre))).value());
  }
  tokenizers.push_back(ondol::make_tokenizer(ondol::spm_test_vocabulary(true)).value());
  tokenizers.push_back(ondol::make_tokenizer(ondol::spm_test_vocabulary(false)).value());
  ondol::Vocabulary gemma4 = ondol::spm_test_vocabulary();
  gemma4.model = "gemma4";
  gemma4.merges = {"h e", "l l", "he ll", "hell o", "▁ w", "o r", "▁w or", "l d", "▁wor ld", "a a", "▁ ▁"};
  tokenizers.push_back(ondol::make_tokenizer(std::move(gemma4)).value());
  return tokenizers;
}

std::string streamed(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  ondol::StreamDecoder decoder(tokenizer, true);
  std::string text;
  for (const TokenId id : ids) {
    const std::string piece = decoder.push(id);
    CHECK(ondol::is_valid_utf8(piece));
    text += piece;
  }
  return text + decoder.flush();
}

void check_round_trip(const Tokenizer& tokenizer, const std::string& text) {
  const std::vector<TokenId> ids = tokenizer.encode(text, false);
  for (const TokenId id : ids) {
    CHECK(id >= 0 && id < tokenizer.size());
    CHECK(tokenizer.kind(id) != ondol::TokenKind::kControl &&
          tokenizer.kind(id) != ondol::TokenKind::kUnknown);
  }
  const std::string decoded = tokenizer.decode(ids, false);
  // Where U+2581 is how a space is written, the mark itself comes back as one.
  const bool marks_spaces = tokenizer.find("▁").has_value();
  CHECK(decoded == (marks_spaces ? ondol::without_space_marks(text) : text));
  CHECK(streamed(tokenizer, ids) == ondol::to_valid_utf8(decoded));
  CHECK(tokenizer.encode(std::vector<ondol::TextSpan>{{text, false}}) == ids);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<std::unique_ptr<Tokenizer>> tokenizers = make_tokenizers();
  if (size < 2) return 0;
  const Tokenizer& tokenizer = *tokenizers[data[0] % tokenizers.size()];
  const std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
  check_round_trip(tokenizer, text);

  const size_t cut = text.empty() ? 0 : data[1] % (text.size() + 1);
  const ondol::TextSpan spans[] = {{text.substr(0, cut), true}, {text.substr(cut), false}};
  std::vector<TokenId> ids = tokenizer.encode(spans);
  const std::vector<TokenId> head = tokenizer.encode(spans[0].text, true);
  CHECK(ids.size() >= head.size() && std::equal(head.begin(), head.end(), ids.begin()));
  for (size_t i = head.size(); i < ids.size(); ++i)
    CHECK(tokenizer.kind(ids[i]) != ondol::TokenKind::kControl);

  // The bytes as ids, in and out of range: decoding takes anything.
  ids.assign(data, data + size);
  for (TokenId& id : ids) id = id * 3 - 5;
  CHECK(streamed(tokenizer, ids) == ondol::to_valid_utf8(tokenizer.decode(ids, false)));
  return 0;
}
