#include "core/chat/jinja/printing.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/chat/jinja/unicode.h"

namespace ondol::chat::jinja {
namespace {

void append_string_repr(std::string& out, std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const bool has_double = text.find('"') != std::string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  out += quote;
  for (size_t at = 0; at < text.size();) {
    const uint32_t c = decode_char(text, at);
    const size_t bytes = char_bytes(text, at);
    char escaped[12];
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\\' || c == static_cast<uint32_t>(quote)) {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20 || (c >= 0x7f && c <= 0xa0) || c == 0xad) {
      std::snprintf(escaped, sizeof escaped, "\\x%02x", c);
      out += escaped;
    } else if (c == 0x2028 || c == 0x2029 || c == 0x3000 || c == 0xfeff || (c >= 0x2000 && c <= 0x200f)) {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
      out += escaped;
    } else {
      out += text.substr(at, bytes);
    }
    at += bytes;
  }
  out += quote;
}

// Writes repr()s; remembers whether anything came from a message.
class ReprWriter {
 public:
  explicit ReprWriter(Heap& heap) : heap_(heap) {}

  Result<void> write(const Value& value, int depth) {
    if (depth > kJsonDepthMax)
      return Error{Code::kInvalidArgument, "a value is nested too deeply to print", ""};
    heap_.charge_steps(1);
    ONDOL_RETURN_IF_ERROR(heap_.check());
    ONDOL_RETURN_IF_ERROR(heap_.admit(static_cast<int64_t>(out_.size())));
    switch (value.kind()) {
      case Kind::kUndefined: out_ += "Undefined"; return {};
      case Kind::kNone: out_ += "None"; return {};
      case Kind::kBool: out_ += value.as_bool() ? "True" : "False"; break;
      case Kind::kInt: out_ += std::to_string(value.as_int()); break;
      case Kind::kBigInt: out_ += value.view(); break;
      case Kind::kFloat: out_ += real_repr(value.as_real()); break;
      case Kind::kString:
        heap_.charge_steps(static_cast<int64_t>(value.text().size() / 64));
        append_string_repr(out_, value.view());
        from_message_ |= value.text().any_from_message();
        break;
      case Kind::kList: return list(value.items(), depth);
      case Kind::kNamespace:
        out_ += "<Namespace ";
        ONDOL_RETURN_IF_ERROR(dict(value.entries(), depth));
        out_ += '>';
        return {};
      case Kind::kDict: return dict(value.entries(), depth);
      case Kind::kCallable: out_ += "<function " + value.callee().name + ">"; return {};
      case Kind::kLoop: out_ += "<LoopContext>"; return {};
    }
    from_message_ |= value.from_message();
    return {};
  }

  Text take() { return Text(out_, from_message_); }

 private:
  Result<void> list(const List& list, int depth) {
    std::string_view open = "[", close = "]";
    switch (list.kind) {
      case ListKind::kList:
      case ListKind::kRange: break;
      case ListKind::kTuple: open = "(", close = list.values.size() == 1 ? ",)" : ")"; break;
      case ListKind::kGenerator: out_ += "<generator object>"; return {};
      case ListKind::kKeys: open = "dict_keys([", close = "])"; break;
      case ListKind::kValues: open = "dict_values([", close = "])"; break;
      case ListKind::kItems: open = "dict_items([", close = "])"; break;
    }
    out_ += open;
    for (size_t i = 0; i < list.values.size(); ++i) {
      if (i > 0) out_ += ", ";
      ONDOL_RETURN_IF_ERROR(write(list.values[i], depth + 1));
    }
    out_ += close;
    return {};
  }

  Result<void> dict(const Dict& dict, int depth) {
    out_ += '{';
    bool first = true;
    for (const Dict::Entry& entry : dict.entries()) {
      if (!first) out_ += ", ";
      first = false;
      ONDOL_RETURN_IF_ERROR(write(entry.key, depth + 1));
      out_ += ": ";
      ONDOL_RETURN_IF_ERROR(write(entry.value, depth + 1));
    }
    out_ += '}';
    return {};
  }

  Heap& heap_;
  std::string out_;
  bool from_message_ = false;
};

}  // namespace

std::string real_repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  char buffer[64];
  const auto done = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  const std::string scientific(buffer, done.ptr);
  const size_t e = scientific.find('e');
  const int exponent = std::atoi(scientific.c_str() + e + 1);
  if (exponent < -4 || exponent >= 16) return scientific;  // two exponent digits at least, as Python
  const auto fixed = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  std::string out(buffer, fixed.ptr);
  if (out.find('.') == std::string::npos) out += ".0";
  return out;
}

Result<Text> to_repr(Heap& heap, const Value& value) {
  ReprWriter writer(heap);
  ONDOL_RETURN_IF_ERROR(writer.write(value, 0));
  return writer.take();
}

Result<Text> to_text(Heap& heap, const Value& value) {
  if (value.is(Kind::kString)) return value.text();
  if (value.is(Kind::kUndefined)) return Text();
  return to_repr(heap, value);
}

std::string_view type_name(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined: return "Undefined";
    case Kind::kNone: return "NoneType";
    case Kind::kBool: return "bool";
    case Kind::kInt:
    case Kind::kBigInt: return "int";
    case Kind::kFloat: return "float";
    case Kind::kString: return "str";
    case Kind::kDict: return "dict";
    case Kind::kNamespace: return "Namespace";
    case Kind::kCallable: return "function";
    case Kind::kLoop: return "LoopContext";
    case Kind::kList: break;
  }
  switch (value.items().kind) {
    case ListKind::kList: return "list";
    case ListKind::kTuple: return "tuple";
    case ListKind::kRange: return "range";
    case ListKind::kGenerator: return "generator";
    case ListKind::kKeys: return "dict_keys";
    case ListKind::kValues: return "dict_values";
    case ListKind::kItems: return "dict_items";
  }
  return "list";
}

bool truthy(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
    case Kind::kNone: return false;
    case Kind::kBool:
    case Kind::kInt: return value.as_int() != 0;
    case Kind::kFloat: return value.as_real() != 0;
    case Kind::kString: return !value.text().empty();
    case Kind::kList: return value.items().kind == ListKind::kGenerator || !value.items().values.empty();
    case Kind::kDict: return value.entries().size() > 0;
    case Kind::kBigInt:
    case Kind::kNamespace:
    case Kind::kCallable:
    case Kind::kLoop: return true;
  }
  return true;
}

}  // namespace ondol::chat::jinja
