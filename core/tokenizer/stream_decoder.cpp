#include "core/tokenizer/tokenizer.h"
#include "core/tokenizer/utf8.h"

namespace ondol {

StreamDecoder::StreamDecoder(const Tokenizer& tokenizer, bool at_start)
    : tokenizer_(tokenizer), strip_space_(at_start && tokenizer.adds_space_prefix()) {}

std::string StreamDecoder::push(TokenId id) {
  const std::string bytes = tokenizer_.piece(id, false);
  if (bytes.empty()) return {};
  const bool has_prefix = strip_space_ && tokenizer_.kind(id) == TokenKind::kNormal && bytes.front() == ' ';
  strip_space_ = false;
  pending_.append(bytes, has_prefix ? 1 : 0);

  std::string out;
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const Utf8Step step = decode_utf8(rest);
    if (step.unfinished) break;
    out.append(step.valid ? rest.substr(0, step.bytes) : kReplacementCharacter);
    rest.remove_prefix(step.bytes);
  }
  pending_.erase(0, pending_.size() - rest.size());
  return out;
}

std::string StreamDecoder::flush() {
  std::string out = to_valid_utf8(pending_);
  pending_.clear();
  return out;
}

}  // namespace ondol
