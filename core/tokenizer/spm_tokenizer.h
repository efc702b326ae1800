// SentencePiece BPE (Kudo and Richardson 2018): spaces are U+2581, and over the whole text the adjacent pair
// whose joined text is the token with the best score is joined until none is left; a character that is no
// token becomes its byte tokens.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/tokenizer/vocabulary_tokenizer.h"

namespace ondol {

class SpmTokenizer final : public VocabularyTokenizer {
 public:
  static Result<std::unique_ptr<Tokenizer>> make(Vocabulary vocabulary);

 private:
  SpmTokenizer(Vocabulary vocabulary, bool adds_bos, bool adds_space_prefix);
  void encode_plain(std::string_view text, bool at_start, std::vector<TokenId>& ids) const override;

  TokenMap plain_tokens_;  // by raw text
};

}  // namespace ondol
