#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/chat/jinja/json.h"
#include "core/chat/jinja/printing.h"
#include "core/chat/jinja/unicode.h"

namespace ondol::chat::jinja {
namespace {

class JsonWriter {
 public:
  JsonWriter(Heap& heap, const JsonStyle& style)
      : heap_(heap), style_(style), from_message_(style.from_message) {}

  Result<void> write(const Value& value, int depth) {
    if (depth > kJsonDepthMax)
      return Error{Code::kInvalidArgument, "a value is nested too deeply for JSON", ""};
    heap_.charge_steps(1);
    ONDOL_RETURN_IF_ERROR(heap_.check());
    ONDOL_RETURN_IF_ERROR(heap_.admit(static_cast<int64_t>(out_.size())));
    from_message_ |= value.from_message();
    switch (value.kind()) {
      case Kind::kNone: out_ += "null"; return {};
      case Kind::kBool: out_ += value.as_bool() ? "true" : "false"; return {};
      case Kind::kInt: out_ += std::to_string(value.as_int()); return {};
      case Kind::kBigInt: out_ += value.view(); return {};
      case Kind::kFloat: out_ += real(value.as_real()); return {};
      case Kind::kString: string(value.text()); return {};
      case Kind::kDict: return dict(value.entries(), depth);
      case Kind::kList:
        if (value.items().kind == ListKind::kList || value.items().kind == ListKind::kTuple) {
          return list(value.items(), depth);
        }
        break;
      default: break;
    }
    return Error{Code::kInvalidArgument,
                 "Object of type " + std::string(type_name(value)) + " is not JSON serializable", ""};
  }

  Text take() { return Text(out_, from_message_); }

 private:
  static std::string real(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return real_repr(value);
  }

  void line(int depth) {
    if (!style_.indent) return;
    out_ += '\n';
    for (int i = 0; i < depth; ++i) out_ += *style_.indent;
  }

  void unit(uint32_t code) {
    char escaped[12];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
    out_ += escaped;
  }

  void string(const Text& text) {
    heap_.charge_steps(static_cast<int64_t>(text.size() / 64));
    from_message_ |= text.any_from_message();
    const std::string_view view = text.view();
    out_ += '"';
    for (size_t at = 0; at < view.size();) {
      const size_t bytes = char_bytes(view, at);
      const uint32_t c = decode_char(view, at);
      static constexpr std::string_view kPlain = "\"\\\n\r\t\b\f";
      static constexpr std::string_view kLetters = "\"\\nrtbf";
      const size_t special = c < 0x80 ? kPlain.find(static_cast<char>(c)) : std::string_view::npos;
      if (special != std::string_view::npos) {
        out_ += '\\';
        out_ += kLetters[special];
      } else if (c < 0x20) {
        unit(c);
      } else if (style_.ensure_ascii && c >= 0x10000) {
        unit(0xd800 + ((c - 0x10000) >> 10));
        unit(0xdc00 + ((c - 0x10000) & 0x3ff));
      } else if (style_.ensure_ascii && c >= 0x7f) {
        unit(c);
      } else {
        out_ += view.substr(at, bytes);
      }
      at += bytes;
    }
    out_ += '"';
  }

  Result<void> list(const List& list, int depth) {
    out_ += '[';
    for (size_t i = 0; i < list.values.size(); ++i) {
      if (i > 0) out_ += style_.item_separator;
      line(depth + 1);
      ONDOL_RETURN_IF_ERROR(write(list.values[i], depth + 1));
    }
    if (!list.values.empty()) line(depth);
    out_ += ']';
    return {};
  }

  Result<void> key(const Value& key) {
    from_message_ |= key.from_message();
    switch (key.kind()) {
      case Kind::kString: string(key.text()); return {};
      case Kind::kNone: out_ += "\"null\""; return {};
      case Kind::kBool: out_ += key.as_bool() ? "\"true\"" : "\"false\""; return {};
      case Kind::kInt: out_ += '"' + std::to_string(key.as_int()) + '"'; return {};
      case Kind::kBigInt: out_ += '"' + std::string(key.view()) + '"'; return {};
      case Kind::kFloat: out_ += '"' + real(key.as_real()) + '"'; return {};
      default:
        return Error{Code::kInvalidArgument,
                     "keys must be str, int, float, bool or None, not " + std::string(type_name(key)), ""};
    }
  }

  Result<void> dict(const Dict& dict, int depth) {
    std::vector<const Dict::Entry*> entries;
    for (const Dict::Entry& entry : dict.entries()) entries.push_back(&entry);
    if (style_.sort_keys) {
      const bool numbers =
          std::all_of(entries.begin(), entries.end(), [](auto* e) { return e->key.is_number(); });
      const bool strings =
          std::all_of(entries.begin(), entries.end(), [](auto* e) { return e->key.is(Kind::kString); });
      if (!numbers && !strings && entries.size() > 1) {
        return Error{Code::kInvalidArgument, "keys of different types cannot be sorted", ""};
      }
      std::stable_sort(entries.begin(), entries.end(), [&](auto* a, auto* b) {
        return strings ? a->key.view() < b->key.view() : a->key.as_real() < b->key.as_real();
      });
    }
    out_ += '{';
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) out_ += style_.item_separator;
      line(depth + 1);
      ONDOL_RETURN_IF_ERROR(key(entries[i]->key));
      out_ += style_.key_separator;
      ONDOL_RETURN_IF_ERROR(write(entries[i]->value, depth + 1));
    }
    if (!entries.empty()) line(depth);
    out_ += '}';
    return {};
  }

  Heap& heap_;
  const JsonStyle& style_;
  std::string out_;
  bool from_message_;
};

}  // namespace

Result<Text> write_json(Heap& heap, const Value& value, const JsonStyle& style) {
  JsonWriter writer(heap, style);
  ONDOL_RETURN_IF_ERROR(writer.write(value, 0));
  return writer.take();
}

}  // namespace ondol::chat::jinja
