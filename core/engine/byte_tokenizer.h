// A tokenizer for tests: token i below 256 is the byte i, 256 ends an answer, the rest are given texts.
#pragma once

#include <string>
#include <vector>

#include "core/tokenizer/tokenizer.h"

namespace ondol {

class ByteTokenizer : public Tokenizer {
 public:
  static constexpr TokenId kEnd = 256;
  explicit ByteTokenizer(std::vector<std::string> more = {}) : more_(std::move(more)) {}

  std::vector<TokenId> encode(std::string_view text, bool) const override {
    std::vector<TokenId> ids;
    for (char byte : text) ids.push_back(static_cast<unsigned char>(byte));
    return ids;
  }
  std::vector<TokenId> encode(std::span<const TextSpan> spans) const override {
    std::vector<TokenId> ids;
    for (const TextSpan& span : spans)
      for (TokenId id : encode(span.text, span.parse_special)) ids.push_back(id);
    return ids;
  }
  std::string piece(TokenId id, bool render_special) const override {
    if (id < 256) return std::string(1, static_cast<char>(id));
    if (id == kEnd) return render_special ? "<end>" : "";
    return more_.at(static_cast<size_t>(id - 257));
  }
  std::string decode(std::span<const TokenId> ids, bool render_special, bool) const override {
    std::string text;
    for (TokenId id : ids) text += piece(id, render_special);
    return text;
  }
  int32_t size() const override { return 257 + static_cast<int32_t>(more_.size()); }
  TokenKind kind(TokenId id) const override { return id == kEnd ? TokenKind::kControl : TokenKind::kNormal; }
  std::string_view raw_text(TokenId) const override { return ""; }
  std::optional<TokenId> find(std::string_view) const override { return std::nullopt; }
  bool adds_bos() const override { return false; }
  bool adds_space_prefix() const override { return false; }
  std::optional<TokenId> bos() const override { return std::nullopt; }
  std::optional<TokenId> eos() const override { return kEnd; }
  bool is_end_of_generation(TokenId id) const override { return id == kEnd; }
  std::string_view pre_name() const override { return "bytes"; }

 private:
  std::vector<std::string> more_;
};

}  // namespace ondol
