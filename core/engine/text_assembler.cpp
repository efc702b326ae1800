#include "core/engine/text_assembler.h"

#include <utility>

namespace ondol {
namespace {

// `length` moved back so that `text` is not cut inside a character.
size_t at_character(const std::string& text, size_t length) {
  while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
    --length;
  return length;
}

}  // namespace

TextAssembler::TextAssembler(const Tokenizer& tokenizer, const std::vector<std::string>& stops)
    : decoder_(tokenizer), matcher_(stops) {}

AssembledText TextAssembler::push(TokenId id, const TokenLogprob* logprob) {
  if (stopped()) return {};
  held_tokens_.push_back({id, decoded_bytes_, logprob ? *logprob : TokenLogprob{}, logprob != nullptr});
  const std::string text = decoder_.push(id);
  decoded_bytes_ += static_cast<int64_t>(text.size());
  held_text_ += text;
  matcher_.push(text);
  return release(false);
}

AssembledText TextAssembler::finish() {
  if (stopped()) return {};
  const std::string text = decoder_.flush();
  decoded_bytes_ += static_cast<int64_t>(text.size());
  held_text_ += text;
  matcher_.push(text);
  return release(!stopped());
}

AssembledText TextAssembler::release(bool all) {
  AssembledText out;
  const int64_t safe_end = all ? decoded_bytes_ : matcher_.safe_length();
  size_t length = static_cast<size_t>(safe_end - released_bytes_);
  if (!all) length = at_character(held_text_, length);
  out.text = held_text_.substr(0, length);
  held_text_.erase(0, length);
  released_bytes_ += static_cast<int64_t>(length);
  while (!held_tokens_.empty() && (all || held_tokens_.front().begin < released_bytes_)) {
    Held& held = held_tokens_.front();
    out.ids.push_back(held.id);
    if (held.has_logprob) out.logprobs.push_back(std::move(held.logprob));
    held_tokens_.pop_front();
  }
  return out;
}

}  // namespace ondol
