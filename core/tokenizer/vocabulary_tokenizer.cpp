#include "core/tokenizer/vocabulary_tokenizer.h"

#include <algorithm>

#include "core/base/check.h"

namespace ondol {
namespace {

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

// Files do not say which special tokens take the white space around them; the model's name does.
// In Phi-3 every special token but these takes the space to its right.
bool strips_right(const std::string& model_name, std::string_view text) {
  if (model_name.find("phi-3") == std::string::npos && model_name.find("phi3") == std::string::npos)
    return false;
  return text != "<unk>" && text != "<s>" && text != "<|endoftext|>";
}

bool strips_left(std::string_view pre, const std::string& model_name, std::string_view text) {
  if (pre == "jina-v2-de" || pre == "jina-v2-es" || pre == "jina-v2-code") return text == "<mask>";
  return model_name.find("modern-bert") != std::string::npos && text == "[MASK]";
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  result.reserve(text.size() + text.size() / 2);
  for (;;) {
    const size_t at = text.find(from);
    result += text.substr(0, at);
    if (at == std::string_view::npos) return result;
    result += to;
    text.remove_prefix(at + from.size());
  }
}

}  // namespace

std::string with_space_marks(std::string_view text) { return replaced(text, " ", kSpaceMark); }
std::string without_space_marks(std::string_view text) { return replaced(text, kSpaceMark, " "); }

VocabularyTokenizer::VocabularyTokenizer(Vocabulary vocabulary, bool adds_bos, bool adds_space_prefix)
    : vocabulary_(std::move(vocabulary)),
      byte_tokens_(256),
      adds_bos_(adds_bos && vocabulary_.bos.has_value()),
      adds_space_prefix_(adds_space_prefix),
      by_raw_text_(vocabulary_.tokens.size()) {
  apply_known_spellings(vocabulary_, ends_generation_, guarded_);
  const std::string model_name = lower_case(vocabulary_.model_name);
  std::vector<SpecialToken> special;
  std::vector<SpecialToken> user_defined;
  for (TokenId id = 0; id < size(); ++id) {
    const std::string& text = vocabulary_.tokens[static_cast<size_t>(id)];
    by_raw_text_.set(text, id);
    const bool is_user_defined = kind(id) == TokenKind::kUserDefined;
    if (text.empty() || !(guarded_[static_cast<size_t>(id)] || is_user_defined)) continue;
    special.push_back(
        {text, id, strips_left(vocabulary_.pre, model_name, text), strips_right(model_name, text)});
    if (!guarded_[static_cast<size_t>(id)]) user_defined.push_back(special.back());
  }
  special_ = SpecialTokens(special);
  user_defined_ = SpecialTokens(user_defined);
}

bool VocabularyTokenizer::is_plain(TokenId id) const {
  const TokenKind kind = vocabulary_.kinds[static_cast<size_t>(id)];
  return (kind == TokenKind::kNormal || kind == TokenKind::kUserDefined) &&
         !guarded_[static_cast<size_t>(id)] && !vocabulary_.tokens[static_cast<size_t>(id)].empty();
}

void VocabularyTokenizer::encode_stretch(std::string_view text, bool parse_special, bool& at_start,
                                         std::vector<TokenId>& ids) const {
  const SpecialTokens& special = parse_special ? special_ : user_defined_;
  for (const Fragment& fragment : special.partition(text)) {
    if (fragment.id < 0) {
      encode_plain(text.substr(fragment.begin, fragment.end - fragment.begin), at_start, ids);
      at_start = false;
    } else {
      ids.push_back(fragment.id);
      at_start = guarded_[static_cast<size_t>(fragment.id)];
    }
  }
}

std::vector<TokenId> VocabularyTokenizer::encode(std::string_view text, bool parse_special) const {
  std::vector<TokenId> ids;
  bool at_start = true;
  encode_stretch(text, parse_special, at_start, ids);
  return ids;
}

std::vector<TokenId> VocabularyTokenizer::encode(std::span<const TextSpan> spans) const {
  std::vector<TokenId> ids;
  bool at_start = true;
  for (size_t i = 0; i < spans.size();) {
    const bool parse_special = spans[i].parse_special;
    std::string joined;
    for (; i < spans.size() && (spans[i].parse_special == parse_special || spans[i].text.empty()); ++i)
      joined += spans[i].text;
    encode_stretch(joined, parse_special, at_start, ids);
  }
  return ids;
}

std::string VocabularyTokenizer::piece(TokenId id, bool render_special) const {
  if (!is_valid(id)) return {};
  switch (kind(id)) {
    case TokenKind::kControl:
    case TokenKind::kUnknown: return render_special ? std::string(raw_text(id)) : std::string();
    case TokenKind::kUserDefined: return std::string(raw_text(id));
    case TokenKind::kUnused: return {};
    case TokenKind::kNormal:
    case TokenKind::kByte: return pieces_[static_cast<size_t>(id)];
  }
  return {};
}

std::string VocabularyTokenizer::decode(std::span<const TokenId> ids, bool render_special,
                                        bool at_start) const {
  std::string text;
  bool strips_space = at_start && adds_space_prefix_;
  for (const TokenId id : ids) {
    const std::string bytes = piece(id, render_special);
    if (bytes.empty()) continue;
    const bool has_prefix = strips_space && kind(id) == TokenKind::kNormal && bytes.front() == ' ';
    text.append(bytes, has_prefix ? 1 : 0);
    strips_space = false;
  }
  return text;
}

TokenKind VocabularyTokenizer::kind(TokenId id) const {
  return is_valid(id) ? vocabulary_.kinds[static_cast<size_t>(id)] : TokenKind::kUnused;
}

std::string_view VocabularyTokenizer::raw_text(TokenId id) const {
  return is_valid(id) ? std::string_view(vocabulary_.tokens[static_cast<size_t>(id)]) : std::string_view();
}

std::optional<TokenId> VocabularyTokenizer::find(std::string_view raw_text) const {
  const int32_t id = by_raw_text_.find(raw_text);
  return id < 0 ? std::nullopt : std::optional<TokenId>(id);
}

bool VocabularyTokenizer::is_end_of_generation(TokenId id) const {
  return is_valid(id) && ends_generation_[static_cast<size_t>(id)];
}

}  // namespace ondol
