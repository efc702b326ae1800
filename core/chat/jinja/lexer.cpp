#include "core/chat/jinja/lexer.h"

#include <algorithm>

#include "core/chat/jinja/unicode.h"

namespace ondol::chat::jinja {
namespace {

std::string normalize_newlines(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      out += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      out += source[i];
    }
  }
  if (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

bool name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<uint8_t>(c) >= 0x80;
}
bool digit(char c) { return c >= '0' && c <= '9'; }

int hex_value(char c) {
  if (digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(normalize_newlines(source)) {
    line_starts_.push_back(0);
    for (size_t i = 0; i < source_.size(); ++i) {
      if (source_[i] == '\n') line_starts_.push_back(i + 1);
    }
  }

  Result<std::vector<Token>> run() {
    while (at_ < source_.size()) {
      if (auto r = data(); !r) return r.error();
    }
    add(TokenType::kEnd, "", at_);
    return std::move(tokens_);
  }

 private:
  Position position(size_t offset) const {
    const auto line = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) - 1;
    return {static_cast<int>(line - line_starts_.begin()) + 1, static_cast<int>(offset - *line) + 1};
  }
  Error fail(size_t offset, const std::string& message) const {
    return syntax_error(position(offset), message);
  }
  bool looking_at(std::string_view what, size_t offset) const {
    return std::string_view(source_).substr(offset, what.size()) == what;
  }
  bool looking_at(std::string_view what) const { return looking_at(what, at_); }
  void add(TokenType type, std::string text, size_t offset) {
    tokens_.push_back({type, std::move(text), position(offset)});
  }
  size_t skip_space(size_t offset) const {
    while (offset < source_.size() && is_space(decode_char(source_, offset))) {
      offset += char_bytes(source_, offset);
    }
    return offset;
  }
  // Ends a tag at `end`: "-" eats all white space, a block or comment eats one newline unless it has "+".
  void close_tag(size_t end, char sign, bool trims_newline) {
    at_ = end;
    if (sign == '-') {
      at_ = skip_space(at_);
    } else if (sign != '+' && trims_newline && looking_at("\n")) {
      ++at_;
    }
    line_starting_ = source_[at_ - 1] == '\n';
  }

  // Emits source_[begin, end) as text; `sign` and `lstrip` belong to the tag that follows it.
  void text_before_tag(size_t begin, size_t end, char sign, bool lstrip) {
    std::string_view text = std::string_view(source_).substr(begin, end - begin);
    if (sign == '-') {
      size_t keep = 0;
      for (size_t i = 0; i < text.size();) {
        const bool space = is_space(decode_char(text, i));
        i += char_bytes(text, i);
        if (!space) keep = i;
      }
      text = text.substr(0, keep);
    } else if (sign != '+' && lstrip) {
      const size_t newline = text.rfind('\n');
      const size_t line = newline == std::string_view::npos ? 0 : newline + 1;
      if ((line > 0 || line_starting_) && skip_space(begin + line) >= end) text = text.substr(0, line);
    }
    if (!text.empty()) add(TokenType::kText, std::string(text), begin);
  }

  Result<void> data() {
    const size_t begin = at_;
    size_t tag = begin;
    for (; tag < source_.size(); ++tag) {
      if (source_[tag] == '{' && tag + 1 < source_.size() &&
          (source_[tag + 1] == '{' || source_[tag + 1] == '%' || source_[tag + 1] == '#')) {
        break;
      }
    }
    if (tag >= source_.size()) {
      add(TokenType::kText, source_.substr(begin), begin);
      at_ = source_.size();
      return {};
    }
    const char type = source_[tag + 1];
    char sign = tag + 2 < source_.size() ? source_[tag + 2] : ' ';
    if (sign != '-' && sign != '+') sign = ' ';
    text_before_tag(begin, tag, sign, type != '{');
    at_ = tag + 2 + (sign == ' ' ? 0 : 1);
    if (type == '#') return comment(tag);
    if (type == '%') {
      if (const size_t end = raw_begin(); end != 0) return raw(tag, end);
    }
    add(type == '%' ? TokenType::kBlockBegin : TokenType::kPrintBegin, "", tag);
    return tag_content(type == '%', tag);
  }

  Result<void> comment(size_t tag) {
    const size_t end = source_.find("#}", at_);
    if (end == std::string::npos) return fail(tag, "a comment is not closed");
    const char sign = end > at_ ? source_[end - 1] : ' ';
    close_tag(end + 2, sign, true);
    return {};
  }

  // After "{%": the offset behind a raw tag, or 0 if this is another tag.
  size_t raw_begin() {
    size_t i = skip_space(at_);
    if (!looking_at("raw", i)) return 0;
    i = skip_space(i + 3);
    if (looking_at("-%}", i)) return skip_space(i + 3);
    return looking_at("%}", i) ? i + 2 : 0;
  }

  Result<void> raw(size_t tag, size_t begin) {
    line_starting_ = source_[begin - 1] == '\n';
    for (size_t end = source_.find("{%", begin); end != std::string::npos;
         end = source_.find("{%", end + 2)) {
      char open = end + 2 < source_.size() ? source_[end + 2] : ' ';
      if (open != '-' && open != '+') open = ' ';
      size_t i = skip_space(end + 2 + (open == ' ' ? 0 : 1));
      if (!looking_at("endraw", i)) continue;
      i = skip_space(i + 6);
      const char close = i < source_.size() ? source_[i] : ' ';
      if (close == '-' || close == '+') ++i;
      if (!looking_at("%}", i)) continue;
      text_before_tag(begin, end, open, true);
      close_tag(i + 2, close, true);
      return {};
    }
    return fail(tag, "a raw block is not closed");
  }

  Result<void> tag_content(bool block, size_t tag) {
    const std::string_view close = block ? "%}" : "}}";
    std::string brackets;
    while (true) {
      at_ = skip_space(at_);
      if (at_ >= source_.size()) return fail(tag, block ? "a {% is not closed" : "a {{ is not closed");
      if (brackets.empty()) {
        const char c = source_[at_];
        const size_t sign = c == '-' || (block && c == '+') ? 1 : 0;
        if (looking_at(close, at_ + sign)) {
          add(block ? TokenType::kBlockEnd : TokenType::kPrintEnd, "", at_);
          close_tag(at_ + sign + 2, sign == 0 ? ' ' : c, block);
          return {};
        }
      }
      if (auto r = token(brackets); !r) return r.error();
    }
  }

  Result<void> token(std::string& brackets) {
    const char c = source_[at_];
    if (name_start(c)) {
      const size_t begin = at_;
      while (at_ < source_.size() && (name_start(source_[at_]) || digit(source_[at_]))) ++at_;
      add(TokenType::kName, source_.substr(begin, at_ - begin), begin);
      return {};
    }
    if (digit(c)) return number(), Result<void>();
    if (c == '\'' || c == '"') return string(c);
    for (const std::string_view two : {"//", "**", "==", "!=", ">=", "<="}) {
      if (looking_at(two)) {
        add(TokenType::kOperator, std::string(two), at_);
        at_ += 2;
        return {};
      }
    }
    if (std::string_view("+-/*%~[](){}><=.:|,;").find(c) == std::string_view::npos) {
      return fail(at_, "unexpected character");
    }
    if (c == '(' || c == '[' || c == '{') brackets += c == '(' ? ')' : c == '[' ? ']' : '}';
    if (c == ')' || c == ']' || c == '}') {
      if (brackets.empty() || brackets.back() != c) return fail(at_, std::string("unexpected '") + c + "'");
      brackets.pop_back();
    }
    add(TokenType::kOperator, std::string(1, c), at_);
    ++at_;
    return {};
  }

  std::string digits() {
    std::string out;
    while (at_ < source_.size() &&
           (digit(source_[at_]) ||
            (source_[at_] == '_' && !out.empty() && at_ + 1 < source_.size() && digit(source_[at_ + 1])))) {
      if (source_[at_] != '_') out += source_[at_];
      ++at_;
    }
    return out;
  }

  void number() {
    const size_t begin = at_;
    const bool after_dot = begin > 0 && source_[begin - 1] == '.';
    const char prefix = source_[at_] == '0' && at_ + 1 < source_.size() ? source_[at_ + 1] | 0x20 : ' ';
    const int base = prefix == 'x' ? 16 : prefix == 'o' ? 8 : prefix == 'b' ? 2 : 10;
    const auto fits = [&](size_t i) {
      return i < source_.size() && hex_value(source_[i]) >= 0 && hex_value(source_[i]) < base;
    };
    if (base != 10 && fits(at_ + 2)) {
      uint64_t value = 0;
      for (at_ += 2; fits(at_) || (source_[at_] == '_' && fits(at_ + 1)); ++at_) {
        if (source_[at_] != '_')
          value = value * static_cast<uint64_t>(base) + static_cast<uint64_t>(hex_value(source_[at_]));
      }
      return add(TokenType::kInteger, std::to_string(value), begin);
    }
    std::string text = digits();
    bool real = false;
    if (!after_dot && looking_at(".") && at_ + 1 < source_.size() && digit(source_[at_ + 1])) {
      ++at_;
      text += "." + digits();
      real = true;
    }
    if (!after_dot && at_ < source_.size() && (source_[at_] == 'e' || source_[at_] == 'E')) {
      const size_t sign =
          at_ + 1 < source_.size() && (source_[at_ + 1] == '+' || source_[at_ + 1] == '-') ? 1 : 0;
      if (at_ + 1 + sign < source_.size() && digit(source_[at_ + 1 + sign])) {
        text += source_.substr(at_, 1 + sign);
        at_ += 1 + sign;
        text += digits();
        real = true;
      }
    }
    add(real ? TokenType::kFloat : TokenType::kInteger, std::move(text), begin);
  }

  // A string literal with Python's escapes.
  Result<void> string(char quote) {
    const size_t begin = at_++;
    std::string out;
    while (at_ < source_.size() && source_[at_] != quote) {
      if (source_[at_] != '\\') {
        out += source_[at_++];
        continue;
      }
      if (at_ + 1 >= source_.size()) break;
      if (!escape(out)) return fail(at_, "a bad escape in a string");
    }
    if (at_ >= source_.size()) return fail(begin, "a string is not closed");
    ++at_;
    add(TokenType::kString, std::move(out), begin);
    return {};
  }

  bool escape(std::string& out) {
    const char c = source_[at_ + 1];
    at_ += 2;
    static constexpr std::string_view kLetters = "abfnrtv\\'\"\n";
    static constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
    if (const size_t i = kLetters.find(c); i != std::string_view::npos) {
      if (i < kMeanings.size()) out += kMeanings[i];  // a newline is a continuation: nothing
      return true;
    }
    if (c >= '0' && c <= '7') {
      uint32_t value = static_cast<uint32_t>(c - '0');
      for (int i = 0; i < 2 && at_ < source_.size() && source_[at_] >= '0' && source_[at_] <= '7'; ++i) {
        value = value * 8 + static_cast<uint32_t>(source_[at_++] - '0');
      }
      append_utf8(out, value);
      return true;
    }
    const size_t want = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (want == 0) {
      out += '\\';
      out += c;
      return true;
    }
    uint32_t value = 0;
    for (size_t i = 0; i < want; ++i, ++at_) {
      const int hex = at_ < source_.size() ? hex_value(source_[at_]) : -1;
      if (hex < 0) return false;
      value = value * 16 + static_cast<uint32_t>(hex);
    }
    if (value > 0x10ffff) return false;
    append_utf8(out, value >= 0xd800 && value <= 0xdfff ? 0xfffd : value);
    return true;
  }

  const std::string source_;
  std::vector<size_t> line_starts_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  bool line_starting_ = true;  // the text before at_ ends with a newline (or there is none)
};

}  // namespace

Error syntax_error(Position at, const std::string& message) {
  const std::string where = std::to_string(at.line) + ":" + std::to_string(at.column);
  return {Code::kInvalidArgument,
          "the chat template does not parse: " + message + " (line " + std::to_string(at.line) + ", column " +
              std::to_string(at.column) + ")",
          where};
}

Result<std::vector<Token>> tokenize_template(std::string_view source) {
  if (static_cast<int64_t>(source.size()) > kSourceBytesMax) {
    return Error{Code::kInvalidArgument,
                 "the chat template is over " + std::to_string(kSourceBytesMax) + " bytes", ""};
  }
  return Lexer(source).run();
}

}  // namespace ondol::chat::jinja
