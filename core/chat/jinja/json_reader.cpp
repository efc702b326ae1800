#include <charconv>
#include <cstdlib>

#include "core/chat/jinja/json.h"
#include "core/chat/jinja/unicode.h"

namespace ondol::chat::jinja {
namespace {

class JsonReader {
 public:
  JsonReader(Heap& heap, std::string_view text, bool from_message)
      : heap_(heap), text_(text), from_message_(from_message) {}

  Result<Value> run() {
    ONDOL_TRY(Value value, read(0));
    space();
    if (at_ < text_.size()) return fail("text after the end of the JSON value");
    return value;
  }

 private:
  Error fail(const std::string& message) const {
    return {Code::kInvalidArgument, message, "offset " + std::to_string(at_)};
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void space() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Result<Value> read(int depth) {
    if (depth > kJsonDepthMax) return fail("JSON is nested too deeply");
    heap_.charge_steps(1);
    ONDOL_RETURN_IF_ERROR(heap_.check());
    space();
    switch (peek()) {
      case '{': return object(depth);
      case '[': return array(depth);
      case '"': {
        ONDOL_TRY(std::string text, string());
        return heap_.make_string(Text(text, from_message_));
      }
      case 't':
        if (take("true")) return Value::boolean(true);
        break;
      case 'f':
        if (take("false")) return Value::boolean(false);
        break;
      case 'n':
        if (take("null")) return Value::none();
        break;
      default: return number();
    }
    return fail("unexpected character in JSON");
  }

  Result<Value> object(int depth) {
    ++at_;
    Value out = heap_.make_dict();
    for (space(); !take("}"); space()) {
      if (out.entries().size() > 0 && !take(",")) return fail("expected ',' or '}' in JSON");
      space();
      if (peek() != '"') return fail("expected a string as key in JSON");
      ONDOL_TRY(std::string key, string());
      space();
      if (!take(":")) return fail("expected ':' in JSON");
      ONDOL_TRY(Value value, read(depth + 1));
      heap_.charge_bytes(static_cast<int64_t>(128 + key.size() * 2));
      out.entries().set(key, std::move(value), from_message_);
      space();
      if (peek() != ',' && peek() != '}') return fail("expected ',' or '}' in JSON");
    }
    return out;
  }

  Result<Value> array(int depth) {
    ++at_;
    std::vector<Value> values;
    space();
    if (take("]")) return heap_.make_list({});
    do {
      ONDOL_TRY(Value value, read(depth + 1));
      values.push_back(std::move(value));
      space();
    } while (take(","));
    if (!take("]")) return fail("expected ',' or ']' in JSON");
    return heap_.make_list(std::move(values));
  }

  Result<Value> number() {
    const size_t begin = at_;
    const auto digits = [&] {
      const size_t from = at_;
      while (peek() >= '0' && peek() <= '9') ++at_;
      return at_ > from;
    };
    bool real = false;
    take("-");
    if (!take("0") && !digits()) return fail("unexpected character in JSON");
    if (take(".")) {
      real = true;
      if (!digits()) return fail("expected a digit in a JSON number");
    }
    if (peek() == 'e' || peek() == 'E') {
      real = true;
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!digits()) return fail("expected a digit in a JSON number");
    }
    const std::string text(text_.substr(begin, at_ - begin));
    if (real) return Value::real(std::strtod(text.c_str(), nullptr), from_message_);
    int64_t value = 0;
    const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
    if (done.ec == std::errc()) return Value::integer(value, from_message_);
    return Value::big_integer(text, from_message_);
  }

  Result<uint32_t> hex4() {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      const int digit = c >= '0' && c <= '9'                     ? c - '0'
                        : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                                 : -1;
      if (digit < 0) return fail("a bad \\u escape in JSON");
      value = value * 16 + static_cast<uint32_t>(digit);
    }
    return value;
  }

  Result<std::string> string() {
    ++at_;
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      const char c = text_[at_++];
      if (static_cast<uint8_t>(c) < 0x20) return fail("a control character in a JSON string");
      if (c != '\\') {
        out += c;
        continue;
      }
      const char escape = peek();
      ++at_;
      static constexpr std::string_view kLetters = "\"\\/bfnrt";
      static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
      if (const size_t i = kLetters.find(escape); i != std::string_view::npos && escape != '\0') {
        out += kMeanings[i];
      } else if (escape == 'u') {
        ONDOL_TRY(uint32_t code, hex4());
        if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_, 2) == "\\u") {
          const size_t back = at_;
          at_ += 2;
          ONDOL_TRY(const uint32_t low, hex4());
          if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          } else {
            at_ = back;
          }
        }
        append_utf8(out, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
      } else {
        return fail("a bad escape in a JSON string");
      }
    }
    if (at_ >= text_.size()) return fail("a JSON string is not closed");
    ++at_;
    return out;
  }

  Heap& heap_;
  const std::string_view text_;
  const bool from_message_;
  size_t at_ = 0;
};

}  // namespace

Result<Value> read_json(Heap& heap, std::string_view text, bool from_message) {
  return JsonReader(heap, text, from_message).run();
}

}  // namespace ondol::chat::jinja
