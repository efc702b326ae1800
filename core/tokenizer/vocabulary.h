// The tokens of a model file as plain values: read from GGUF metadata (keys "tokenizer.ggml.*" of the GGUF
// page of ggml's documentation), checked, and given to one of the tokenizers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/gguf/reader.h"
#include "core/tokenizer/token_map.h"
#include "core/tokenizer/tokenizer.h"

namespace ondol {

inline constexpr int64_t kVocabularyTokensMax = 1 << 24;
inline constexpr int64_t kTokenTextBytesMax = 1 << 16;

struct Vocabulary {
  std::string model;       // tokenizer.ggml.model: "gpt2" or "llama" ("gemma4": merges over plain UTF-8)
  std::string pre;         // tokenizer.ggml.pre
  std::string model_name;  // general.name
  std::vector<std::string> tokens;  // raw texts, by id
  std::vector<TokenKind> kinds;     // of the same length
  std::vector<float> scores;        // of the same length for "llama", else empty
  std::vector<std::string> merges;  // "left right", best first; for "gpt2"
  std::optional<TokenId> bos, eos, eot, eom, unknown;
  std::optional<bool> add_bos;
  std::optional<bool> add_space_prefix;
};

Result<Vocabulary> read_vocabulary(const gguf::File& file);

// The tokenizer of `vocabulary`; errors as Tokenizer::load().
Result<std::unique_ptr<Tokenizer>> make_tokenizer(Vocabulary vocabulary);

// What follows from the spelling of tokens that files mark badly: `kinds` gets kControl for the unmistakable
// ends of turns, `ends_generation` and `guarded` (not taken from a text unless its control tokens are wanted)
// get one flag a token.
void apply_known_spellings(Vocabulary& vocabulary, std::vector<bool>& ends_generation,
                           std::vector<bool>& guarded);

// The byte of a byte token's text "<0xE3>", or nothing.
std::optional<uint8_t> byte_of(std::string_view text);

}  // namespace ondol
