// Small vocabularies for tests and fuzzing: every byte can be written, and some text merges.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/tokenizer/bpe_tokenizer.h"
#include "core/tokenizer/utf8.h"
#include "core/tokenizer/vocabulary.h"

namespace ondol {

inline TokenId add_token(Vocabulary& vocabulary, std::string text, TokenKind kind, float score = 0) {
  vocabulary.tokens.push_back(std::move(text));
  vocabulary.kinds.push_back(kind);
  vocabulary.scores.push_back(score);
  return static_cast<TokenId>(vocabulary.tokens.size() - 1);
}

// `bytes` in the byte alphabet of GPT-2.
inline std::string in_byte_alphabet(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    uint32_t letter = byte;
    if (byte <= 0x20) letter = 0x100 + byte;
    if (byte >= 0x7F && byte <= 0xA0) letter = 0x121 + (byte - 0x7F);
    if (byte == 0xAD) letter = 0x143;
    append_utf8(letter, text);
  }
  return text;
}

// Adds the token left + right and the merge that makes it.
inline void add_merge(Vocabulary& vocabulary, std::string_view left, std::string_view right) {
  const std::string l = in_byte_alphabet(left);
  const std::string r = in_byte_alphabet(right);
  add_token(vocabulary, l + r, TokenKind::kNormal);
  vocabulary.merges.push_back(l + " " + r);
}

// Ids 0 to 255 are the bytes; then come the special tokens below, then the merges.
inline constexpr TokenId kTestEndOfText = 256;
inline constexpr TokenId kTestStart = 257;
inline constexpr TokenId kTestEnd = 258;
inline constexpr TokenId kTestToolCall = 259;   // user-defined
inline constexpr TokenId kTestTwoBreaks = 260;  // user-defined "\n\n"

inline Vocabulary bpe_test_vocabulary(std::string pre = "gpt-2") {
  Vocabulary vocabulary;
  vocabulary.model = "gpt2";
  vocabulary.pre = std::move(pre);
  for (int byte = 0; byte < 256; ++byte)
    add_token(vocabulary, in_byte_alphabet(std::string(1, static_cast<char>(byte))), TokenKind::kNormal);
  vocabulary.bos = vocabulary.eos = add_token(vocabulary, "<|endoftext|>", TokenKind::kControl);
  add_token(vocabulary, "<|im_start|>", TokenKind::kControl);
  add_token(vocabulary, "<|im_end|>", TokenKind::kControl);
  add_token(vocabulary, "<tool_call>", TokenKind::kUserDefined);
  add_token(vocabulary, "\n\n", TokenKind::kUserDefined);
  const std::string_view merges[][2] = {{"h", "e"},       {"l", "l"},           {"he", "ll"}, {"hell", "o"},
                                        {" ", "w"},       {"o", "r"},           {" w", "or"}, {"l", "d"},
                                        {" wor", "ld"},   {" ", " "},           {"  ", "  "}, {"\n", "\n"},
                                        {"\xEA", "\xB0"}, {"\xEA\xB0", "\x80"}, {"a", "a"},   {"aa", "aa"},
                                        {"Z", "Z"},       {"ZZ", "ZZ"},         {".", "."},   {"1", "2"},
                                        {"\xEC", "\x95"}, {"\xEC\x95", "\x88"}};
  for (const auto& merge : merges) add_merge(vocabulary, merge[0], merge[1]);
  return vocabulary;
}

// Ids: 0 <unk>, 1 <s>, 2 </s>, 3 to 258 the bytes, 259 the user-defined "[tool]"; then the pieces.
inline constexpr TokenId kTestSpmTool = 259;

inline Vocabulary spm_test_vocabulary(bool space_prefix = true) {
  Vocabulary vocabulary;
  vocabulary.model = "llama";
  vocabulary.add_space_prefix = space_prefix;
  vocabulary.unknown = add_token(vocabulary, "<unk>", TokenKind::kUnknown);
  vocabulary.bos = add_token(vocabulary, "<s>", TokenKind::kControl);
  vocabulary.eos = add_token(vocabulary, "</s>", TokenKind::kControl);
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (size_t byte = 0; byte < 256; ++byte) {
    const std::string hex = {kHex[byte / 16], kHex[byte % 16]};
    add_token(vocabulary, "<0x" + hex + ">", TokenKind::kByte);
  }
  add_token(vocabulary, "[tool]", TokenKind::kUserDefined);
  float score = 0;
  for (const std::string_view piece :
       {"▁▁",     "▁▁▁▁",   "he", "ll",   "hell",  "hello", "▁w",   "or", "▁wor", "ld",
        "▁world", "▁hello", "<s", "안녕", "▁안녕", "aa",    "aaaa", "ZZ", "..",   "▁",
        "h",      "e",      "l",  "o",    "w",     "r",     "d",    "<",  "s",    ">",
        "안",     "녕",     "a",  "Z",    ".",     "0",     "x",    "<0", "<0x",  "\n"})
    add_token(vocabulary, std::string(piece), TokenKind::kNormal, score -= 1);
  return vocabulary;
}

}  // namespace ondol
