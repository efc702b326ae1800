#include "core/tokenizer/vocabulary.h"

#include <algorithm>
#include <array>
#include <span>

namespace ondol {
namespace {

constexpr std::string_view kPrefix = "tokenizer.ggml.";

std::string key(std::string_view name) { return std::string(kPrefix) + std::string(name); }

Error bad(std::string_view name, std::string message) {
  return Error{Code::kInvalidArgument, std::move(message), key(name)};
}

// An optional token id; -1 and 0xFFFFFFFF mean "none" in files in use.
Result<std::optional<TokenId>> read_id(const gguf::File& file, std::string_view name, int64_t tokens) {
  if (!file.has(key(name))) return std::optional<TokenId>();
  ONDOL_TRY(const int64_t id, file.integer(key(name)));
  if (id == -1 || id == 0xFFFFFFFF) return std::optional<TokenId>();
  if (id < 0 || id >= tokens)
    return bad(name,
               "token id " + std::to_string(id) + " is outside the vocabulary of " + std::to_string(tokens));
  return std::optional<TokenId>(static_cast<TokenId>(id));
}

Result<std::optional<bool>> read_bool(const gguf::File& file, std::string_view name) {
  if (!file.has(key(name))) return std::optional<bool>();
  ONDOL_TRY(const bool value, file.boolean(key(name)));
  return std::optional<bool>(value);
}

TokenKind kind_of(int64_t type) {
  switch (type) {
    case 2: return TokenKind::kUnknown;
    case 3: return TokenKind::kControl;
    case 4: return TokenKind::kUserDefined;
    case 5: return TokenKind::kUnused;
    case 6: return TokenKind::kByte;
    default: return TokenKind::kNormal;
  }
}

// Ends of a turn or a text, in the spellings of the model families in use.
constexpr std::string_view kEnds[] = {
    "<|eot_id|>",      "<|eom_id|>",         "<|im_end|>",  "<|end|>",          "<|endoftext|>",
    "<|end_of_text|>", "<|return|>",         "<|call|>",    "<|calls|>",        "<|flush|>",
    "<end_of_turn>",   "<end_of_utterance>", "<turn|>",     "<|tool_response>", "<｜end▁of▁sentence｜>",
    "[|endofturn|]",   "<|endofturn|>",      "<|fim_pad|>", "<|repo_name|>",    "<|file_sep|>",
};
// Spellings that are also ordinary text (an HTML tag, a word in brackets): only a token that the file itself
// calls a control token ends the generation.
constexpr std::string_view kDoubtfulEnds[] = {"</s>", "<eos>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "[e~["};

bool contains(std::span<const std::string_view> list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

std::optional<uint8_t> byte_of(std::string_view text) {
  if (text.size() != 6 || text.substr(0, 3) != "<0x" || text[5] != '>') return std::nullopt;
  int value = 0;
  for (const char c : text.substr(3, 2)) {
    if (c >= '0' && c <= '9') {
      value = value * 16 + (c - '0');
    } else if (c >= 'A' && c <= 'F') {
      value = value * 16 + (c - 'A' + 10);
    } else if (c >= 'a' && c <= 'f') {
      value = value * 16 + (c - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return static_cast<uint8_t>(value);
}

Result<Vocabulary> read_vocabulary(const gguf::File& file) {
  Vocabulary vocabulary;
  ONDOL_TRY(const std::string_view model, file.string(key("model")));
  vocabulary.model = model;
  if (model != "gpt2" && model != "llama" && model != "gemma4")
    return Error{Code::kUnsupported, "tokenizer model '" + vocabulary.model + "' is not supported",
                 key("model")};
  if (file.has(key("pre"))) {
    ONDOL_TRY(const std::string_view pre, file.string(key("pre")));
    vocabulary.pre = pre;
  }
  if (file.has("general.name"))
    vocabulary.model_name = file.string("general.name").value_or(std::string_view());

  ONDOL_TRY(const std::vector<std::string_view> tokens, file.strings(key("tokens")));
  const auto count = static_cast<int64_t>(tokens.size());
  if (count == 0 || count > kVocabularyTokensMax)
    return bad("tokens", "a vocabulary of " + std::to_string(count) + " tokens is not possible");
  for (const std::string_view text : tokens) {
    if (static_cast<int64_t>(text.size()) > kTokenTextBytesMax)
      return bad("tokens", "a token is longer than " + std::to_string(kTokenTextBytesMax) + " bytes");
  }
  vocabulary.tokens.assign(tokens.begin(), tokens.end());

  vocabulary.kinds.assign(tokens.size(), TokenKind::kNormal);
  if (file.has(key("token_type"))) {
    ONDOL_TRY(const std::vector<int64_t> types, file.integers(key("token_type")));
    if (types.size() != tokens.size())
      return bad("token_type",
                 std::to_string(types.size()) + " types for " + std::to_string(count) + " tokens");
    std::transform(types.begin(), types.end(), vocabulary.kinds.begin(), kind_of);
  }
  if (model == "llama") {
    ONDOL_TRY(const std::vector<double> scores, file.reals(key("scores")));
    if (scores.size() != tokens.size())
      return bad("scores",
                 std::to_string(scores.size()) + " scores for " + std::to_string(count) + " tokens");
    vocabulary.scores.assign(scores.begin(), scores.end());
  } else {
    ONDOL_TRY(const std::vector<std::string_view> merges, file.strings(key("merges")));
    vocabulary.merges.assign(merges.begin(), merges.end());
  }

  ONDOL_TRY(vocabulary.bos, read_id(file, "bos_token_id", count));
  ONDOL_TRY(vocabulary.eos, read_id(file, "eos_token_id", count));
  ONDOL_TRY(vocabulary.eot, read_id(file, "eot_token_id", count));
  ONDOL_TRY(vocabulary.eom, read_id(file, "eom_token_id", count));
  ONDOL_TRY(vocabulary.unknown, read_id(file, "unknown_token_id", count));
  ONDOL_TRY(vocabulary.add_bos, read_bool(file, "add_bos_token"));
  ONDOL_TRY(vocabulary.add_space_prefix, read_bool(file, "add_space_prefix"));
  return vocabulary;
}

void apply_known_spellings(Vocabulary& vocabulary, std::vector<bool>& ends_generation,
                           std::vector<bool>& guarded) {
  const size_t count = vocabulary.tokens.size();
  ends_generation.assign(count, false);
  guarded.assign(count, false);
  size_t end_id = count;
  bool has_return = false, has_call = false, has_flush = false;
  for (size_t id = 0; id < count; ++id) {
    const std::string& text = vocabulary.tokens[id];
    TokenKind& kind = vocabulary.kinds[id];
    if (contains(kEnds, text)) {
      kind = TokenKind::kControl;
      ends_generation[id] = true;
    } else if (contains(kDoubtfulEnds, text)) {
      guarded[id] = true;
      ends_generation[id] = kind == TokenKind::kControl;
    }
    if (kind == TokenKind::kControl || kind == TokenKind::kUnknown) guarded[id] = true;
    if (text == "<|end|>") end_id = id;
    has_return = has_return || text == "<|return|>";
    has_call = has_call || text == "<|call|>" || text == "<|calls|>";
    has_flush = has_flush || text == "<|flush|>";
  }
  // In these two families <|end|> closes one message of several, not the turn.
  if (end_id < count && has_call && (has_return || has_flush)) ends_generation[end_id] = false;
  for (const std::optional<TokenId> id : {vocabulary.eos, vocabulary.eot, vocabulary.eom}) {
    if (id) ends_generation[static_cast<size_t>(*id)] = true;
  }
}

}  // namespace ondol
