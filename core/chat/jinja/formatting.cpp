// Python's two ways to fill in a format string: "%s" % x, and "{}".format(x). The format's own bytes
// and each value's bytes keep their marks.
#include "core/chat/jinja/formatting.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/chat/jinja/printing.h"
#include "core/chat/jinja/unicode.h"

namespace ondol::chat::jinja {
namespace {

constexpr int64_t kWidthMax = 4096;

// What stands between "%" or ":" and the conversion letter.
struct Spec {
  std::string fill = " ";
  char align = '\0';  // < > ^ =
  char sign = '-';    // - + space
  bool alternate = false;
  bool zero = false;
  bool comma = false;
  int64_t width = 0;
  int64_t precision = -1;
  char type = '\0';
  bool from_message = false;  // the format did, and so what it puts in
};

int64_t read_number(std::string_view text, size_t& at) {
  int64_t out = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9' && out <= kWidthMax) {
    out = out * 10 + (text[at++] - '0');
  }
  return out;
}

Text pad(const Text& body, const Spec& spec, char align) {
  const auto length = static_cast<int64_t>(char_count(body.view()));
  const int64_t space = std::max<int64_t>(spec.width - length, 0);
  if (spec.align != '\0') align = spec.align;
  int64_t left = align == '>' || align == '=' ? space : align == '^' ? space / 2 : 0;
  Text out;
  size_t head = 0;
  if (align == '=') {  // padding goes after the sign
    head = !body.empty() && (body.view()[0] == '-' || body.view()[0] == '+' || body.view()[0] == ' ') ? 1 : 0;
  }
  out.append(body, 0, head);
  for (int64_t i = 0; i < left; ++i) out.append(spec.fill, spec.from_message);
  out.append(body, head, body.size());
  for (int64_t i = 0; i < space - left; ++i) out.append(spec.fill, spec.from_message);
  return out;
}

std::string group_digits(std::string digits) {
  size_t end = digits.find_first_not_of("0123456789");
  if (end == std::string::npos) end = digits.size();
  for (size_t at = end; at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

Result<Text> format_integer(const Value& value, const Spec& spec) {
  int64_t number = value.as_int();
  if (value.is(Kind::kFloat)) {
    const double whole = std::trunc(value.as_real());
    if (!(std::abs(whole) < 9e18)) return failure("a number is too large to format");
    number = static_cast<int64_t>(whole);
  }
  char buffer[80];
  const int base = spec.type == 'x' || spec.type == 'X' ? 16
                   : spec.type == 'o'                   ? 8
                   : spec.type == 'b'                   ? 2
                                                        : 10;
  const uint64_t size = number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  const auto done = std::to_chars(buffer, buffer + sizeof buffer, size, base);
  std::string digits(buffer, done.ptr);
  if (value.is(Kind::kBigInt)) digits = value.view();
  if (spec.type == 'X') {
    for (char& c : digits) c = static_cast<char>(to_upper(static_cast<uint8_t>(c)));
  }
  if (spec.comma) digits = group_digits(digits);
  while (spec.precision > static_cast<int64_t>(digits.size())) digits.insert(0, "0");
  if (spec.alternate && base == 16) digits.insert(0, spec.type == 'X' ? "0X" : "0x");
  if (spec.alternate && base == 8) digits.insert(0, "0o");
  if (number < 0) {
    digits.insert(0, "-");
  } else if (spec.sign != '-') {
    digits.insert(0, 1, spec.sign);
  }
  return Text(digits, value.from_message() || spec.from_message);
}

Result<Text> format_real(const Value& value, const Spec& spec) {
  if (!value.is_number()) return failure("must be real number, not " + std::string(type_name(value)));
  const double number = value.as_real();
  const bool percent = spec.type == '%';
  const int precision = spec.precision < 0 ? 6 : static_cast<int>(std::min<int64_t>(spec.precision, 300));
  const char letter = percent ? 'f' : spec.type;
  const char pattern[] = {'%', '.', '*', letter, '\0'};
  std::string buffer(800, '\0');
  const int bytes =
      std::snprintf(buffer.data(), buffer.size(), pattern, precision, percent ? number * 100 : number);
  std::string digits = buffer.substr(0, static_cast<size_t>(std::max(bytes, 0)));
  if (std::isnan(number)) digits = "nan";
  const bool negative = !digits.empty() && digits[0] == '-';
  if (negative) digits.erase(0, 1);
  if (spec.comma) digits = group_digits(digits);
  if (percent) digits += '%';
  if (negative) {
    digits.insert(0, "-");
  } else if (spec.sign != '-') {
    digits.insert(0, 1, spec.sign);
  }
  return Text(digits, value.from_message() || spec.from_message);
}

Text cut(const Text& text, int64_t precision) {
  if (precision < 0) return text;
  return text.slice(0, char_offset(text.view(), static_cast<size_t>(precision)));
}

Result<Text> format_percent(Interpreter& interpreter, const Value& value, Spec spec) {
  if (value.is(Kind::kUndefined) && spec.type != 's' && spec.type != 'r') return undefined_error(value);
  switch (spec.type) {
    case 's':
    case 'r':
    case 'a': {
      ONDOL_TRY(const Text text,
                spec.type == 's' ? to_text(interpreter.heap(), value) : to_repr(interpreter.heap(), value));
      return pad(cut(text, spec.precision), spec, '>');
    }
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
      const bool decimal = spec.type == 'd' || spec.type == 'i' || spec.type == 'u';
      if (!value.is_number() || (!decimal && value.is(Kind::kFloat))) {
        return failure(std::string("%") + spec.type + " format: a number is required, not " +
                       std::string(type_name(value)));
      }
      ONDOL_TRY(const Text text, format_integer(value, spec));
      return pad(text, spec, '>');
    }
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': {
      ONDOL_TRY(const Text text, format_real(value, spec));
      return pad(text, spec, '>');
    }
    case 'c':
      if (value.is_integral() && value.as_int() >= 0 && value.as_int() < 0x110000) {
        std::string character;
        append_utf8(character, static_cast<uint32_t>(value.as_int()));
        return pad(Text(character, value.from_message()), spec, '>');
      }
      if (value.is(Kind::kString) && char_count(value.view()) == 1) return pad(value.text(), spec, '>');
      return failure("%c requires int or char");
    default: return failure(std::string("unsupported format character '") + spec.type + "'");
  }
}

// Hands the arguments of "%" out one by one, or by name.
class PercentArguments {
 public:
  explicit PercentArguments(const Value& value) : value_(value) {
    if (value.is(Kind::kList) && value.items().kind == ListKind::kTuple) tuple_ = &value.items().values;
  }
  Result<Value> next() {
    if (tuple_ != nullptr ? used_ >= tuple_->size() : used_ >= 1) {
      return failure("not enough arguments for format string");
    }
    return tuple_ != nullptr ? (*tuple_)[used_++] : (++used_, value_);
  }
  Result<Value> named(std::string_view name) {
    if (!value_.is(Kind::kDict)) return failure("format requires a mapping");
    used_ = 1;
    const Value* found = value_.entries().find(name);
    if (found == nullptr) return failure("the format's key '" + std::string(name) + "' is missing");
    return *found;
  }
  bool left_over() const {
    if (tuple_ != nullptr) return used_ < tuple_->size();
    return used_ == 0 && !value_.is(Kind::kDict) && !value_.is(Kind::kList);
  }

 private:
  const Value& value_;
  const std::vector<Value>* tuple_ = nullptr;
  size_t used_ = 0;
};

}  // namespace

Result<Value> printf_format(Interpreter& interpreter, const Text& format, const Value& value) {
  Heap& heap = interpreter.heap();
  PercentArguments arguments(value);
  const std::string_view text = format.view();
  Text out;
  for (size_t at = 0; at < text.size();) {
    const size_t percent = std::min(text.find('%', at), text.size());
    out.append(format, at, percent);
    at = percent;
    if (at >= text.size()) break;
    Spec spec;
    spec.from_message = format.from_message_at(at++);
    Value argument;
    bool named = false;
    if (at < text.size() && text[at] == '(') {
      const size_t end = text.find(')', at);
      if (end == std::string_view::npos) return failure("incomplete format key");
      ONDOL_TRY(argument, arguments.named(text.substr(at + 1, end - at - 1)));
      named = true;
      at = end + 1;
    }
    for (; at < text.size() && std::string_view("#0- +").find(text[at]) != std::string_view::npos; ++at) {
      if (text[at] == '-') spec.align = '<';
      if (text[at] == '0') spec.zero = true;
      if (text[at] == '#') spec.alternate = true;
      if (text[at] == '+' || (text[at] == ' ' && spec.sign == '-')) spec.sign = text[at];
    }
    spec.width = read_number(text, at);
    if (at < text.size() && text[at] == '.') spec.precision = read_number(text, ++at);
    if (at >= text.size()) return failure("incomplete format");
    if (spec.width > kWidthMax || spec.precision > kWidthMax) return failure("a format is too wide");
    spec.type = text[at++];
    if (spec.type == '%') {
      out.append("%", format.from_message_at(at - 1));
      continue;
    }
    if (!named) {
      ONDOL_TRY(argument, arguments.next());
    }
    const bool numeric = std::string_view("sra").find(spec.type) == std::string_view::npos;
    if (spec.zero && spec.align == '\0' && numeric) spec.fill = "0", spec.align = '=';
    ONDOL_TRY(const Text piece, format_percent(interpreter, argument, spec));
    out.append(piece);
    heap.charge_steps(2);
    ONDOL_RETURN_IF_ERROR(heap.check());
    ONDOL_RETURN_IF_ERROR(heap.admit(static_cast<int64_t>(out.size())));
  }
  if (arguments.left_over()) return failure("not all arguments converted during string formatting");
  return heap.make_string(std::move(out));
}

namespace {

Result<Spec> read_spec(std::string_view text) {
  Spec spec;
  size_t at = 0;
  const auto align_at = [&](size_t i) {
    return i < text.size() && std::string_view("<>^=").find(text[i]) != std::string_view::npos;
  };
  if (!text.empty() && align_at(char_bytes(text, 0))) {
    at = char_bytes(text, 0);
    spec.fill = text.substr(0, at);
    spec.align = text[at++];
  } else if (align_at(0)) {
    spec.align = text[at++];
  }
  if (at < text.size() && (text[at] == '+' || text[at] == '-' || text[at] == ' ')) spec.sign = text[at++];
  if (at < text.size() && text[at] == '#') spec.alternate = true, ++at;
  if (at < text.size() && text[at] == '0') spec.zero = true, ++at;
  spec.width = read_number(text, at);
  if (at < text.size() && text[at] == ',') spec.comma = true, ++at;
  if (at < text.size() && text[at] == '.') spec.precision = read_number(text, ++at);
  if (at < text.size()) spec.type = text[at++];
  if (at < text.size()) return failure("invalid format specifier");
  if (spec.width > kWidthMax || spec.precision > kWidthMax) return failure("a format is too wide");
  return spec;
}

Result<Text> format_braces_value(Interpreter& interpreter, const Value& value, const Text& format) {
  if (format.empty()) return to_text(interpreter.heap(), value);
  ONDOL_TRY(Spec spec, read_spec(format.view()));
  spec.from_message = format.any_from_message();
  const bool is_integer = value.is(Kind::kInt) || value.is(Kind::kBigInt) || value.is(Kind::kBool);
  if (spec.zero && spec.align == '\0' && value.is_number()) spec.fill = "0", spec.align = '=';
  if (is_integer &&
      (spec.type == '\0' || std::string_view("dxXobn").find(spec.type) != std::string_view::npos)) {
    ONDOL_TRY(const Text out, format_integer(value, spec));
    return pad(out, spec, '>');
  }
  if (value.is_number() && spec.type == '\0' && spec.precision < 0) {
    ONDOL_TRY(const Text out, to_text(interpreter.heap(), value));
    return pad(out, spec, '>');
  }
  if (value.is_number()) {
    if (spec.type == '\0') spec.type = 'g';
    if (std::string_view("eEfFgG%").find(spec.type) == std::string_view::npos)
      return failure("unknown format code");
    ONDOL_TRY(const Text out, format_real(value, spec));
    return pad(out, spec, '>');
  }
  if (!value.is(Kind::kString)) {
    return failure("unsupported format string passed to " + std::string(type_name(value)) + ".__format__");
  }
  if (spec.type != '\0' && spec.type != 's') return failure("unknown format code for a string");
  return pad(cut(value.text(), spec.precision), spec, '<');
}

}  // namespace

Result<Value> braces_format(Interpreter& interpreter, const Text& format, const CallArgs& args) {
  Heap& heap = interpreter.heap();
  const std::string_view text = format.view();
  Text out;
  size_t automatic = 0;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if ((c == '{' || c == '}') && at + 1 < text.size() && text[at + 1] == c) {
      out.append(format, at, at + 1);
      at += 2;
      continue;
    }
    if (c == '}') return failure("Single '}' encountered in format string");
    if (c != '{') {
      const size_t stop = std::min(text.find_first_of("{}", at), text.size());
      out.append(format, at, stop);
      at = stop;
      continue;
    }
    const size_t end = text.find('}', at);
    if (end == std::string_view::npos) return failure("expected '}' before end of string");
    std::string_view field = text.substr(at + 1, end - at - 1);
    at = end + 1;
    const size_t colon = field.find(':');
    const Text spec =
        colon == std::string_view::npos ? Text() : format.slice(end - field.size() + colon + 1, end);
    field = field.substr(0, colon);
    char conversion = 's';
    const bool converts = field.size() > 1 && field[field.size() - 2] == '!';
    if (converts) conversion = field.back(), field.remove_suffix(2);
    if (spec.view().find('{') != std::string_view::npos)
      return failure("nested format fields are not supported");
    const size_t path = std::min(field.find_first_of(".["), field.size());
    const std::string_view name = field.substr(0, path);
    if (path < field.size()) return failure("format fields with attributes are not supported");
    const Value* value = nullptr;
    size_t index = 0;
    const auto number = std::from_chars(name.data(), name.data() + name.size(), index);
    if (name.empty()) index = automatic++;
    if (name.empty() || (number.ec == std::errc() && number.ptr == name.data() + name.size())) {
      if (index < args.positional.size()) value = &args.positional[index];
    } else {
      for (const auto& [key, each, mark] : args.named) {
        if (key == name) value = &each;
      }
    }
    if (value == nullptr) return failure("the format's field '" + std::string(name) + "' has no value");
    Value shown = *value;
    if (converts) {
      ONDOL_TRY(Text shown_text, conversion == 's' ? to_text(heap, shown) : to_repr(heap, shown));
      shown = heap.make_string(std::move(shown_text));
    }
    ONDOL_TRY(const Text piece, format_braces_value(interpreter, shown, spec));
    out.append(piece);
    heap.charge_steps(2);
    ONDOL_RETURN_IF_ERROR(heap.check());
    ONDOL_RETURN_IF_ERROR(heap.admit(static_cast<int64_t>(out.size())));
  }
  return heap.make_string(std::move(out));
}

}  // namespace ondol::chat::jinja
