#include "core/tokenizer/spm_tokenizer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.h"
#include "core/tokenizer/pre_tokenizer.h"
#include "core/tokenizer/utf8.h"

namespace ondol {
namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

struct Symbol {
  uint32_t begin = 0;  // bytes of the text
  uint32_t end = 0;    // begin == end: joined to the symbol before it
  uint32_t previous = kNone;
  uint32_t next = kNone;
};

struct Candidate {
  float score;
  uint32_t left;                                  // index of the left symbol
  uint32_t bytes;                                 // of the two together
  bool operator<(const Candidate& other) const {  // of a max-heap: the best score, then the leftmost, on top
    return score != other.score ? score < other.score : left > other.left;
  }
};

std::vector<Symbol> characters(std::string_view text) {
  std::vector<Symbol> symbols;
  symbols.reserve(text.size());
  for (uint32_t at = 0; at < text.size();) {
    const uint32_t bytes = decode_utf8(text.substr(at)).bytes;
    const auto index = static_cast<uint32_t>(symbols.size());
    symbols.push_back({at, at + bytes, index == 0 ? kNone : index - 1, index + 1});
    at += bytes;
  }
  if (!symbols.empty()) symbols.back().next = kNone;
  return symbols;
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> SpmTokenizer::make(Vocabulary vocabulary) {
  if (vocabulary.pre.empty()) vocabulary.pre = "default";
  for (const float score : vocabulary.scores) {
    if (std::isnan(score))
      return Error{Code::kInvalidArgument, "a score is not a number", "tokenizer.ggml.scores"};
  }
  if (!vocabulary.unknown) {
    const auto unknown = std::find(vocabulary.kinds.begin(), vocabulary.kinds.end(), TokenKind::kUnknown);
    if (unknown != vocabulary.kinds.end())
      vocabulary.unknown = static_cast<TokenId>(unknown - vocabulary.kinds.begin());
  }
  const bool adds_bos = vocabulary.add_bos.value_or(true);
  const bool prefix = vocabulary.add_space_prefix.value_or(true);
  std::unique_ptr<SpmTokenizer> tokenizer(new SpmTokenizer(std::move(vocabulary), adds_bos, prefix));
  const bool has_all_bytes =
      std::all_of(tokenizer->byte_tokens_.begin(), tokenizer->byte_tokens_.end(),
                  [](const std::optional<TokenId>& token) { return token.has_value(); });
  if (!has_all_bytes && !tokenizer->vocabulary_.unknown)
    return Error{Code::kInvalidArgument, "the vocabulary has neither all byte tokens nor an unknown token",
                 "tokenizer.ggml.tokens"};
  return std::unique_ptr<Tokenizer>(std::move(tokenizer));
}

SpmTokenizer::SpmTokenizer(Vocabulary vocabulary, bool adds_bos, bool adds_space_prefix)
    : VocabularyTokenizer(std::move(vocabulary), adds_bos, adds_space_prefix),
      plain_tokens_(vocabulary_.tokens.size()) {
  pieces_.reserve(vocabulary_.tokens.size());
  for (TokenId id = 0; id < size(); ++id) {
    const std::string& text = vocabulary_.tokens[static_cast<size_t>(id)];
    const std::optional<uint8_t> byte = kind(id) == TokenKind::kByte ? byte_of(text) : std::nullopt;
    if (byte) {
      pieces_.emplace_back(1, static_cast<char>(*byte));
      byte_tokens_[*byte] = id;
    } else {
      pieces_.push_back(without_space_marks(text));
    }
    if (is_plain(id)) plain_tokens_.set(text, id);
  }
}

void SpmTokenizer::encode_plain(std::string_view text, bool at_start, std::vector<TokenId>& ids) const {
  CHECK(text.size() <= kTextBytesMax / 3);  // a space becomes three bytes
  std::string marked = with_space_marks(text);
  if (at_start && adds_space_prefix()) marked.insert(0, kSpaceMark);
  const std::string_view view = marked;

  std::vector<Symbol> symbols = characters(view);
  std::vector<Candidate> heap;
  const auto consider = [&](uint32_t left, uint32_t right) {
    if (left == kNone || right == kNone) return false;
    const uint32_t bytes = symbols[right].end - symbols[left].begin;
    const int32_t id = plain_tokens_.find(view.substr(symbols[left].begin, bytes));
    if (id >= 0) heap.push_back({vocabulary_.scores[static_cast<size_t>(id)], left, bytes});
    return id >= 0;
  };
  for (uint32_t i = 1; i < symbols.size(); ++i) consider(i - 1, i);
  std::make_heap(heap.begin(), heap.end());
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const Candidate best = heap.back();
    heap.pop_back();
    Symbol& left = symbols[best.left];
    if (left.begin == left.end || left.next == kNone) continue;
    Symbol& right = symbols[left.next];
    if (right.end - left.begin != best.bytes) continue;  // outdated: one of the two has joined another
    left.end = right.end;
    right.begin = right.end;
    left.next = right.next;
    if (left.next != kNone) symbols[left.next].previous = best.left;
    if (consider(left.previous, best.left)) std::push_heap(heap.begin(), heap.end());
    if (consider(best.left, left.next)) std::push_heap(heap.begin(), heap.end());
  }
  for (const Symbol& symbol : symbols) {
    if (symbol.begin == symbol.end) continue;
    const std::string_view piece = view.substr(symbol.begin, symbol.end - symbol.begin);
    if (const int32_t id = plain_tokens_.find(piece); id >= 0) {
      ids.push_back(id);
      continue;
    }
    for (const char c : piece) {
      const std::optional<TokenId> byte = byte_tokens_[static_cast<uint8_t>(c)];
      ids.push_back(byte ? *byte : *vocabulary_.unknown);
    }
  }
}

}  // namespace ondol
