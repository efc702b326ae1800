#include "core/tokenizer/utf8.h"

#include "core/tokenizer/tokenizer.h"

namespace ondol {

Utf8Step decode_utf8(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true, false};
  // The second byte has a narrower range after E0, ED, F0 and F4 (no overlong forms, no surrogates).
  uint32_t length = 0;
  uint8_t second_min = 0x80;
  uint8_t second_max = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) second_min = 0xA0;
    if (lead == 0xED) second_max = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) second_min = 0x90;
    if (lead == 0xF4) second_max = 0x8F;
  } else {
    return {0xFFFD, 1, false, false};
  }
  uint32_t code_point = lead & (0xFFu >> (length + 1));
  for (uint32_t i = 1; i < length; ++i) {
    if (i == text.size()) return {0xFFFD, i, false, true};
    const uint8_t next = byte(i);
    if (next < (i == 1 ? second_min : 0x80) || next > (i == 1 ? second_max : 0xBF))
      return {0xFFFD, i, false, false};
    code_point = code_point << 6 | (next & 0x3F);
  }
  return {code_point, length, true, false};
}

void append_utf8(uint32_t code_point, std::string& out) {
  const auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

std::string to_valid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const Utf8Step step = decode_utf8(bytes);
    out.append(step.valid ? bytes.substr(0, step.bytes) : kReplacementCharacter);
    bytes.remove_prefix(step.bytes);
  }
  return out;
}

bool is_valid_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const Utf8Step step = decode_utf8(bytes);
    if (!step.valid) return false;
    bytes.remove_prefix(step.bytes);
  }
  return true;
}

}  // namespace ondol
