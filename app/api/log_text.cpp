#include "app/api/log_text.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "core/tokenizer/tokenizer.h"
#include "core/tokenizer/utf8.h"

namespace ondol::api {
namespace {

constexpr std::string_view kLevelNames[] = {"debug", "info", "warn", "error", "off"};
constexpr std::string_view kCutMark = "…";

bool unseen(char32_t c) {
  constexpr std::pair<char32_t, char32_t> kRanges[] = {
      {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},   {0x200b, 0x200f},
      {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [&](const auto& range) { return range.first <= c && c <= range.second; });
}

std::string escaped(char32_t c, std::string_view as_sent) {
  if (c == '"' || c == '\\') return {'\\', static_cast<char>(c)};
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return "\\t";
  if (!unseen(c)) return std::string(as_sent);
  char text[16];
  std::snprintf(text, sizeof(text), c > 0xffff ? "\\U%08x" : "\\u%04x", static_cast<unsigned>(c));
  return text;
}

bool plain(char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '='; }

}  // namespace

std::string_view level_name(LogLevel level) { return kLevelNames[static_cast<size_t>(level)]; }

std::optional<LogLevel> parse_level(std::string_view name) {
  const auto found = std::find(std::begin(kLevelNames), std::end(kLevelNames), name);
  if (found == std::end(kLevelNames)) return std::nullopt;
  return static_cast<LogLevel>(found - std::begin(kLevelNames));
}

std::string log_value(std::string_view text, size_t bytes_max) {
  bool cut = text.size() > bytes_max;
  if (cut) {
    size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    text = text.substr(0, end);
  }
  if (!cut && !text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  const std::string valid = to_valid_utf8(text);
  std::string out = "\"";
  for (std::string_view rest = valid; !rest.empty();) {
    const Utf8Step c = decode_utf8(rest);
    const std::string piece = escaped(c.code_point, rest.substr(0, c.bytes));
    cut = cut || out.size() + piece.size() > bytes_max;
    if (out.size() + piece.size() > bytes_max) break;
    out += piece;
    rest.remove_prefix(c.bytes);
  }
  if (cut) out += kCutMark;
  return out + '"';
}

LogPairs& LogPairs::add(std::string_view key, std::string_view written) {
  if (!line_.empty()) line_ += ' ';
  line_.append(key).append("=").append(written);
  return *this;
}

LogPairs& LogPairs::text(std::string_view key, std::string_view value, size_t bytes_max) {
  return add(key, log_value(value, bytes_max));
}

LogPairs& LogPairs::number(std::string_view key, int64_t value) { return add(key, std::to_string(value)); }

LogPairs& LogPairs::tenths(std::string_view key, double value) {
  char written[64];
  std::snprintf(written, sizeof(written), "%.1f", value);
  return add(key, written);
}

}  // namespace ondol::api
