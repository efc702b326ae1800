// What the two kinds of tokenizer share: the vocabulary's answers, cutting out special tokens, spans,
// decoding.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tokenizer/special_tokens.h"
#include "core/tokenizer/token_map.h"
#include "core/tokenizer/tokenizer.h"
#include "core/tokenizer/vocabulary.h"

namespace ondol {

// How SentencePiece writes a space in its tokens.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

std::string with_space_marks(std::string_view text);     // " " becomes U+2581
std::string without_space_marks(std::string_view text);  // and back

class VocabularyTokenizer : public Tokenizer {
 public:
  std::vector<TokenId> encode(std::string_view text, bool parse_special) const final;
  std::vector<TokenId> encode(std::span<const TextSpan> spans) const final;
  std::string piece(TokenId id, bool render_special) const final;
  std::string decode(std::span<const TokenId> ids, bool render_special, bool at_start) const final;
  int32_t size() const final { return static_cast<int32_t>(vocabulary_.tokens.size()); }
  TokenKind kind(TokenId id) const final;
  std::string_view raw_text(TokenId id) const final;
  std::optional<TokenId> find(std::string_view raw_text) const final;
  bool adds_bos() const final { return adds_bos_; }
  bool adds_space_prefix() const final { return adds_space_prefix_; }
  std::optional<TokenId> bos() const final { return vocabulary_.bos; }
  std::optional<TokenId> eos() const final { return vocabulary_.eos; }
  bool is_end_of_generation(TokenId id) const final;
  std::string_view pre_name() const final { return vocabulary_.pre; }

 protected:
  // `vocabulary` is consistent (make_tokenizer has checked it).
  VocabularyTokenizer(Vocabulary vocabulary, bool adds_bos, bool adds_space_prefix);

  // Appends the ids of text without special tokens. `at_start`: nothing but control tokens stands before it.
  virtual void encode_plain(std::string_view text, bool at_start, std::vector<TokenId>& ids) const = 0;

  // Whether plain text may become this token: content is never control, and a byte token's
  // text ("<0x0A>") is not the byte.
  bool is_plain(TokenId id) const;

  Vocabulary vocabulary_;
  std::vector<std::string> pieces_;  // by id: the bytes that a token stands for; set by the subclass
  std::vector<std::optional<TokenId>> byte_tokens_;  // by byte; set by the subclass

 private:
  bool is_valid(TokenId id) const { return id >= 0 && id < size(); }
  void encode_stretch(std::string_view text, bool parse_special, bool& at_start,
                      std::vector<TokenId>& ids) const;

  bool adds_bos_ = false;
  bool adds_space_prefix_ = false;
  std::vector<bool> ends_generation_;  // by id
  std::vector<bool> guarded_;          // by id
  TokenMap by_raw_text_;
  SpecialTokens special_;       // all that parse_special asks for
  SpecialTokens user_defined_;  // those that any text may hold
};

}  // namespace ondol
