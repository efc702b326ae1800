// Byte-level BPE (Sennrich et al. 2016 over the byte alphabet of GPT-2; Radford et al. 2019): the text is cut
// into pieces, and in each piece the adjacent pair whose merge was learned first is joined until none is
// left. With PreTokenizer::plain_utf8 the symbols are characters, and a character that no token has becomes
// its bytes.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/tokenizer/merge_table.h"
#include "core/tokenizer/pre_tokenizer.h"
#include "core/tokenizer/vocabulary_tokenizer.h"

namespace ondol {

class BpeTokenizer final : public VocabularyTokenizer {
 public:
  static Result<std::unique_ptr<Tokenizer>> make(Vocabulary vocabulary);

 private:
  // A symbol is a token's id or, from size() on, a string that occurs in merges only; -1: no such string.
  struct Symbol {
    int32_t id = -1;
    uint32_t begin = 0;  // bytes of the piece
    uint32_t end = 0;
  };
  struct Work;  // buffers, reused from piece to piece

  BpeTokenizer(Vocabulary vocabulary, PreTokenizer pre_tokenizer, bool adds_bos);
  Result<void> read_merges();
  int32_t intern(std::string text);
  void encode_plain(std::string_view text, bool at_start, std::vector<TokenId>& ids) const override;
  void encode_piece(std::string_view piece, Work& work, std::vector<TokenId>& ids) const;
  void merge_short(std::vector<Symbol>& symbols, std::vector<Merge>& merges) const;
  void merge_long(Work& work) const;
  void append_bytes(std::string_view bytes, std::vector<TokenId>& ids) const;

  PreTokenizer pre_tokenizer_;
  TokenMap symbols_;                         // texts of plain tokens and of what merges name
  std::deque<std::string> merge_only_;       // the texts of symbols from size() on; their places are stable
  std::array<int32_t, 256> byte_symbols_{};  // by byte
  MergeTable merges_;
  TokenMap whole_pieces_;  // by the bytes that plain tokens stand for, if pieces are looked up whole
};

}  // namespace ondol
