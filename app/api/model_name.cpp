#include "app/api/model_name.h"

#include <cstdint>

#include "core/tokenizer/tokenizer.h"

namespace ondol::api {
namespace {

constexpr uint32_t kSyllableBase = 0xAC00, kLeadBase = 0x1100, kVowelBase = 0x1161, kTailBase = 0x11A7;
constexpr uint32_t kLeadCount = 19, kVowelCount = 21, kTailCount = 28;
constexpr uint32_t kSyllableCount = kLeadCount * kVowelCount * kTailCount;

// Reads one character of valid UTF-8 at `at` and moves past it.
uint32_t next_character(std::string_view text, size_t& at) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[i])); };
  const uint32_t first = byte(at);
  const size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  uint32_t out = length == 1 ? first : first & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) out = out << 6 | (byte(at + i) & 0x3F);
  at += length;
  return out;
}

void append_syllable(std::string& out, uint32_t c) {
  out += static_cast<char>(0xE0 | c >> 12);
  out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
  out += static_cast<char>(0x80 | (c & 0x3F));
}

}  // namespace

std::string composed_name(std::string_view bytes) {
  const std::string text = to_valid_utf8(bytes);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    uint32_t c = next_character(text, at);
    bool composed = false;
    if (c - kLeadBase < kLeadCount && at < text.size()) {
      size_t after = at;
      const uint32_t vowel = next_character(text, after);
      if (vowel - kVowelBase < kVowelCount) {
        c = kSyllableBase + ((c - kLeadBase) * kVowelCount + (vowel - kVowelBase)) * kTailCount;
        at = after;
        composed = true;
      }
    }
    if (c - kSyllableBase < kSyllableCount && (c - kSyllableBase) % kTailCount == 0 && at < text.size()) {
      size_t after = at;
      const uint32_t tail = next_character(text, after);
      if (tail > kTailBase && tail - kTailBase < kTailCount) {
        c += tail - kTailBase;
        at = after;
        composed = true;
      }
    }
    if (composed)
      append_syllable(out, c);
    else
      out.append(text, begin, at - begin);
  }
  return out;
}

std::string name_of_file(std::string_view path) {
  const size_t slash = path.rfind('/');
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (name.ends_with(".gguf") && name.size() > 5) name.remove_suffix(5);
  return composed_name(name);
}

}  // namespace ondol::api
