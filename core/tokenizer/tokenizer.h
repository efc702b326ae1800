// Text <-> tokens, as the tokenizer in a GGUF file defines it (byte-level BPE and SentencePiece).
// Immutable after load(): any thread may call any method at once. No method uses recursion or
// std::regex; time is linear in the text but for a logarithm. Text is bytes: invalid UTF-8 is legal input.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/gguf/reader.h"

namespace ondol {

using TokenId = int32_t;

// A stretch of text that a caller hands over. Only text that the template itself wrote may turn into
// control tokens (design: invariant 4).
struct TextSpan {
  std::string text;
  bool parse_special = false;
};

enum class TokenKind : uint8_t { kNormal, kUnknown, kControl, kUserDefined, kUnused, kByte };

class Tokenizer {
 public:
  // Errors: kUnsupported (unknown tokenizer.ggml.model or .pre: the message names it),
  // kInvalidArgument (missing or inconsistent fields). Copies what it needs from the file.
  static Result<std::unique_ptr<Tokenizer>> load(const gguf::File& file);
  virtual ~Tokenizer() = default;

  // Ids of `text`; no BOS or EOS is added. With parse_special, the texts of control and user-defined
  // tokens in `text` become those tokens; without it only user-defined ones that are not control do,
  // as llama.cpp does. Merges never make a control token. At most 700 MB of text (CHECK).
  virtual std::vector<TokenId> encode(std::string_view text, bool parse_special) const = 0;
  // Ids of the spans in order. Pre-tokenization and merges do not cross a change of parse_special;
  // neighbouring spans of the same kind are joined first. For SentencePiece the space prefix is added to
  // the first text, and again to a text right after a control token (as llama.cpp does, and as the models
  // were trained), but never where only the kind of span changes.
  virtual std::vector<TokenId> encode(std::span<const TextSpan> spans) const = 0;

  // Raw bytes of one token (control and unknown tokens: empty unless `render_special`; unused tokens and
  // ids outside the vocabulary: empty). Not stripped of a leading space.
  virtual std::string piece(TokenId id, bool render_special) const = 0;
  // Bytes of a whole sequence: the pieces joined, less the one leading space that a SentencePiece
  // vocabulary puts in front of a text (only if `at_start`, and adds_space_prefix()).
  virtual std::string decode(std::span<const TokenId> ids, bool render_special,
                             bool at_start = true) const = 0;

  virtual int32_t size() const = 0;
  virtual TokenKind kind(TokenId id) const = 0;
  virtual std::string_view raw_text(TokenId id) const = 0;  // as stored in the file
  virtual std::optional<TokenId> find(std::string_view raw_text) const = 0;
  virtual bool adds_bos() const = 0;  // the file asks for BOS in front
  virtual bool adds_space_prefix() const = 0;
  virtual std::optional<TokenId> bos() const = 0;
  virtual std::optional<TokenId> eos() const = 0;
  virtual bool is_end_of_generation(TokenId id) const = 0;  // EOS, EOT, EOM and their known spellings
  virtual std::string_view pre_name() const = 0;            // "smollm", "qwen2", "default"
};

// The one rule about the BOS in front of a text: if the file asks for one (adds_bos), `ids` then start with
// it. It is put there unless it stands there already (the text had it written out), so that it is never
// doubled. A file that does not ask leaves `ids` as they are.
void begin_with_bos(const Tokenizer& tokenizer, std::vector<TokenId>& ids);

// Tokens in, text out, whole UTF-8 characters only: push() returns the bytes that are complete now and
// keeps the rest (at most 3 bytes) back. Joined outputs plus flush() equal decode() of all ids with
// invalid or unfinished sequences replaced by U+FFFD. One per stream; not for several threads at once.
class StreamDecoder {
 public:
  explicit StreamDecoder(const Tokenizer& tokenizer, bool at_start = false);
  std::string push(TokenId id);
  // What was kept back, as U+FFFD if it is not a whole character.
  std::string flush();

 private:
  const Tokenizer& tokenizer_;
  bool strip_space_;
  std::string pending_;
};

// `bytes` with every invalid UTF-8 sequence replaced by U+FFFD (maximal subparts, Unicode 3.9).
std::string to_valid_utf8(std::string_view bytes);
bool is_valid_utf8(std::string_view bytes);

}  // namespace ondol
