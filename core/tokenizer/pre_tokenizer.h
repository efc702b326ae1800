// Cuts a text into the pieces that byte-level merges may not cross, as `tokenizer.ggml.pre` names it.
// Immutable: any thread. Linear in the text, no recursion.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/tokenizer/split_rules.h"

namespace ondol {

inline constexpr size_t kTextBytesMax = size_t{1} << 31;  // of one text to encode

struct PreTokenizer {
  std::string_view name = {};
  std::vector<SplitRule> rules = {};  // each cuts the pieces of the one before
  bool whole_pieces_first = false;    // a piece that is a token is taken without merging ("ignore_merges")
  bool adds_bos = false;              // unless the file says otherwise
  bool plain_utf8 = false;            // symbols are characters, spaces are U+2581, bytes are <0xXX> tokens

  // Where the pieces of `text` end, in bytes, ascending; the last is text.size(). `text` <= kTextBytesMax.
  std::vector<uint32_t> split(std::string_view text) const;
};

// Errors: kUnsupported, naming `name`. The empty name (no such field in the file) is "default".
Result<PreTokenizer> find_pre_tokenizer(std::string_view name);

// All names, sorted by family.
std::vector<std::string_view> pre_tokenizer_names();

DecodedText decode_text(std::string_view text);

}  // namespace ondol
