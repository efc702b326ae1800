#include "core/tokenizer/bpe_tokenizer.h"

#include <algorithm>
#include <limits>

#include "core/base/check.h"
#include "core/tokenizer/utf8.h"

namespace ondol {
namespace {

// Up to this many symbols a piece is merged by searching all pairs: quicker than a heap, and quadratic in
// this alone.
constexpr size_t kShortPieceSymbols = 24;

// GPT-2's byte alphabet: printable bytes stand for themselves, the others, in order, for U+0100 and up.
std::array<uint32_t, 256> make_alphabet() {
  std::array<uint32_t, 256> alphabet{};
  uint32_t next = 0x100;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    alphabet[byte] = printable ? byte : next++;
  }
  return alphabet;
}

// The bytes behind a token's text; characters outside the alphabet stand for themselves.
std::string from_alphabet(std::string_view text, const std::vector<int>& byte_of_letter) {
  std::string bytes;
  while (!text.empty()) {
    const Utf8Step step = decode_utf8(text);
    const bool known =
        step.valid && step.code_point < byte_of_letter.size() && byte_of_letter[step.code_point] >= 0;
    if (known) {
      bytes.push_back(static_cast<char>(byte_of_letter[step.code_point]));
    } else {
      bytes += text.substr(0, step.bytes);
    }
    text.remove_prefix(step.bytes);
  }
  return bytes;
}

struct Candidate {
  uint32_t rank;
  uint32_t left;  // index of the left symbol
  int32_t left_id;
  int32_t right_id;
  bool operator<(
      const Candidate& other) const {  // of a max-heap: the smallest rank, then the leftmost, on top
    return rank != other.rank ? rank > other.rank : left > other.left;
  }
};

}  // namespace

struct BpeTokenizer::Work {
  std::vector<Symbol> symbols;
  std::vector<Merge> merges;  // of neighbours, for short pieces
  std::vector<Candidate> heap;
  std::vector<uint32_t> next, previous;  // of symbols, for long pieces
};

Result<std::unique_ptr<Tokenizer>> BpeTokenizer::make(Vocabulary vocabulary) {
  if (vocabulary.pre.empty()) vocabulary.pre = vocabulary.model == "gemma4" ? "gemma4" : "default";
  ONDOL_TRY(PreTokenizer pre, find_pre_tokenizer(vocabulary.pre));
  const bool adds_bos = vocabulary.add_bos.value_or(pre.adds_bos);
  std::unique_ptr<BpeTokenizer> tokenizer(new BpeTokenizer(std::move(vocabulary), std::move(pre), adds_bos));
  ONDOL_RETURN_IF_ERROR(tokenizer->read_merges());
  return std::unique_ptr<Tokenizer>(std::move(tokenizer));
}

BpeTokenizer::BpeTokenizer(Vocabulary vocabulary, PreTokenizer pre_tokenizer, bool adds_bos)
    : VocabularyTokenizer(std::move(vocabulary), adds_bos, false),
      pre_tokenizer_(std::move(pre_tokenizer)),
      // Tokens, the byte alphabet, and at most three new strings a merge.
      symbols_(vocabulary_.tokens.size() + 256 + 3 * vocabulary_.merges.size()) {
  const std::array<uint32_t, 256> alphabet = make_alphabet();
  std::vector<int> byte_of_letter(512, -1);
  for (int byte = 0; byte < 256; ++byte) byte_of_letter[alphabet[static_cast<size_t>(byte)]] = byte;

  pieces_.reserve(vocabulary_.tokens.size());
  for (TokenId id = 0; id < size(); ++id) {
    const std::string& text = vocabulary_.tokens[static_cast<size_t>(id)];
    const std::optional<uint8_t> byte = kind(id) == TokenKind::kByte ? byte_of(text) : std::nullopt;
    if (byte) {
      pieces_.emplace_back(1, static_cast<char>(*byte));
      byte_tokens_[*byte] = id;
    } else {
      pieces_.push_back(pre_tokenizer_.plain_utf8 ? without_space_marks(text)
                                                  : from_alphabet(text, byte_of_letter));
    }
    if (is_plain(id)) symbols_.set(text, id);
  }
  for (size_t byte = 0; byte < 256; ++byte) {
    std::string letter;
    append_utf8(pre_tokenizer_.plain_utf8 ? static_cast<uint32_t>(byte) : alphabet[byte], letter);
    byte_symbols_[byte] = intern(std::move(letter));
    if (byte_symbols_[byte] < size() && !pre_tokenizer_.plain_utf8) byte_tokens_[byte] = byte_symbols_[byte];
  }
  if (pre_tokenizer_.whole_pieces_first) {
    whole_pieces_ = TokenMap(vocabulary_.tokens.size());
    for (TokenId id = 0; id < size(); ++id) {
      if (is_plain(id)) whole_pieces_.set(pieces_[static_cast<size_t>(id)], id);
    }
  }
}

int32_t BpeTokenizer::intern(std::string text) {
  int32_t id = symbols_.find(text);
  if (id >= 0) return id;
  id = size() + static_cast<int32_t>(merge_only_.size());
  merge_only_.push_back(std::move(text));
  symbols_.set(merge_only_.back(), id);
  return id;
}

Result<void> BpeTokenizer::read_merges() {
  merges_ = MergeTable(vocabulary_.merges.size());
  for (size_t rank = 0; rank < vocabulary_.merges.size(); ++rank) {
    const std::string& merge = vocabulary_.merges[rank];
    const size_t space = merge.find(' ', 1);
    if (space == std::string::npos || space + 1 == merge.size())
      return Error{Code::kInvalidArgument, "merge " + std::to_string(rank) + " is not two symbols",
                   "tokenizer.ggml.merges"};
    const std::string left = merge.substr(0, space);
    const std::string right = merge.substr(space + 1);
    const int32_t result = intern(left + right);
    merges_.add(intern(left), intern(right), {static_cast<uint32_t>(rank), result});
  }
  vocabulary_.merges = {};
  return {};
}

void BpeTokenizer::encode_plain(std::string_view text, bool, std::vector<TokenId>& ids) const {
  std::string marked;
  if (pre_tokenizer_.plain_utf8) {
    marked = with_space_marks(text);
    text = marked;
  }
  Work work;
  uint32_t begin = 0;
  for (const uint32_t end : pre_tokenizer_.split(text)) {
    encode_piece(text.substr(begin, end - begin), work, ids);
    begin = end;
  }
}

void BpeTokenizer::encode_piece(std::string_view piece, Work& work, std::vector<TokenId>& ids) const {
  if (pre_tokenizer_.whole_pieces_first) {
    if (const int32_t id = whole_pieces_.find(piece); id >= 0) return ids.push_back(id);
  }
  if (pre_tokenizer_.plain_utf8 && piece.front() == '\n') {  // a run of newlines is one token if there is one
    if (const int32_t id = symbols_.find(piece); id >= 0 && id < size()) return ids.push_back(id);
  }
  work.symbols.clear();
  for (uint32_t at = 0; at < piece.size();) {
    const uint32_t bytes = pre_tokenizer_.plain_utf8 ? decode_utf8(piece.substr(at)).bytes : 1;
    const auto byte = static_cast<uint8_t>(piece[at]);
    const bool is_byte = !pre_tokenizer_.plain_utf8 || byte < 0x80;
    work.symbols.push_back(
        {is_byte ? byte_symbols_[byte] : symbols_.find(piece.substr(at, bytes)), at, at + bytes});
    at += bytes;
  }
  if (work.symbols.size() <= kShortPieceSymbols) {
    merge_short(work.symbols, work.merges);
  } else {
    merge_long(work);
  }
  for (const Symbol& symbol : work.symbols) {
    if (symbol.id >= 0 && symbol.id < size()) {
      ids.push_back(symbol.id);
    } else {
      append_bytes(piece.substr(symbol.begin, symbol.end - symbol.begin), ids);
    }
  }
}

void BpeTokenizer::merge_short(std::vector<Symbol>& symbols, std::vector<Merge>& merges) const {
  merges.clear();
  for (size_t i = 0; i + 1 < symbols.size(); ++i)
    merges.push_back(merges_.find(symbols[i].id, symbols[i + 1].id));
  for (;;) {
    const auto best = std::min_element(merges.begin(), merges.end(),
                                       [](const Merge& a, const Merge& b) { return a.rank < b.rank; });
    if (best == merges.end() || best->rank == Merge::kNoRank) return;
    const auto left = static_cast<size_t>(best - merges.begin());
    symbols[left].id = best->result;
    symbols[left].end = symbols[left + 1].end;
    symbols.erase(symbols.begin() + static_cast<ptrdiff_t>(left) + 1);
    merges.erase(best);
    if (left < merges.size()) merges[left] = merges_.find(symbols[left].id, symbols[left + 1].id);
    if (left > 0) merges[left - 1] = merges_.find(symbols[left - 1].id, symbols[left].id);
  }
}

void BpeTokenizer::merge_long(Work& work) const {
  constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  std::vector<Symbol>& symbols = work.symbols;
  const auto count = static_cast<uint32_t>(symbols.size());
  work.next.resize(count);
  work.previous.resize(count);
  work.heap.clear();
  const auto candidate = [&](uint32_t left, uint32_t right) {
    const Merge merge = merges_.find(symbols[left].id, symbols[right].id);
    return Candidate{merge.rank, left, symbols[left].id, symbols[right].id};
  };
  for (uint32_t i = 0; i < count; ++i) {
    work.previous[i] = i == 0 ? kNone : i - 1;
    work.next[i] = i + 1 == count ? kNone : i + 1;
    if (i + 1 == count) continue;
    if (const Candidate c = candidate(i, i + 1); c.rank != Merge::kNoRank) work.heap.push_back(c);
  }
  std::make_heap(work.heap.begin(), work.heap.end());
  const auto push = [&](uint32_t left, uint32_t right) {
    const Candidate c = candidate(left, right);
    if (c.rank == Merge::kNoRank) return;
    work.heap.push_back(c);
    std::push_heap(work.heap.begin(), work.heap.end());
  };
  while (!work.heap.empty()) {
    std::pop_heap(work.heap.begin(), work.heap.end());
    const Candidate best = work.heap.back();
    work.heap.pop_back();
    // Outdated if either symbol has since merged with another; a symbol that is gone has begin == end.
    const uint32_t left = best.left;
    const uint32_t right = work.next[left];
    if (symbols[left].begin == symbols[left].end || right == kNone) continue;
    if (symbols[left].id != best.left_id || symbols[right].id != best.right_id) continue;
    symbols[left].id = merges_.find(best.left_id, best.right_id).result;
    symbols[left].end = symbols[right].end;
    symbols[right].begin = symbols[right].end;
    work.next[left] = work.next[right];
    if (work.next[left] != kNone) {
      work.previous[work.next[left]] = left;
      push(left, work.next[left]);
    }
    if (work.previous[left] != kNone) push(work.previous[left], left);
  }
  std::erase_if(symbols, [](const Symbol& symbol) { return symbol.begin == symbol.end; });
}

void BpeTokenizer::append_bytes(std::string_view bytes, std::vector<TokenId>& ids) const {
  for (const char c : bytes) {
    const std::optional<TokenId> token = byte_tokens_[static_cast<uint8_t>(c)];
    if (token) {
      ids.push_back(*token);
    } else if (vocabulary_.unknown) {
      ids.push_back(*vocabulary_.unknown);
    }
  }
}

}  // namespace ondol
