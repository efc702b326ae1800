// Filters that make text. As in Jinja, their input is turned into text first.
#include <algorithm>

#include "core/chat/jinja/filters.h"
#include "core/chat/jinja/formatting.h"
#include "core/chat/jinja/json.h"
#include "core/chat/jinja/printing.h"
#include "core/chat/jinja/text_functions.h"
#include "core/chat/jinja/unicode.h"

namespace ondol::chat::jinja {
namespace {

constexpr size_t kIndentBytesMax = 256;

Result<Value> upper(Interpreter& in, const Value& input, const CallArgs&) {
  ONDOL_TRY(const Text text, to_text(in.heap(), input));
  return in.heap().make_string(map_characters(text, to_upper));
}

Result<Value> lower(Interpreter& in, const Value& input, const CallArgs&) {
  ONDOL_TRY(const Text text, to_text(in.heap(), input));
  return in.heap().make_string(map_characters(text, to_lower));
}

Result<Value> capitalize_filter(Interpreter& in, const Value& input, const CallArgs&) {
  ONDOL_TRY(const Text text, to_text(in.heap(), input));
  return in.heap().make_string(capitalize(text));
}

// Jinja's own title: a word starts after white space, a hyphen or an opening bracket.
Result<Value> title_filter(Interpreter& in, const Value& input, const CallArgs&) {
  ONDOL_TRY(const Text text, to_text(in.heap(), input));
  Text out;
  bool starts = true;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = char_bytes(text.view(), at);
    const uint32_t c = decode_char(text.view(), at);
    out.append(map_characters(text.slice(at, at + bytes), starts ? to_upper : to_lower));
    starts = is_space(c) ||
             (c < 0x80 && std::string_view("-({[<").find(static_cast<char>(c)) != std::string_view::npos);
    at += bytes;
  }
  return in.heap().make_string(std::move(out));
}

Result<Value> trim(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("trim", args, {"chars"}));
  ONDOL_TRY(const Text text, to_text(in.heap(), input));
  if (!a.given(0)) return in.heap().make_string(strip(text, Side::kBoth));
  if (!a[0]->is(Kind::kString)) return failure("trim needs a string");
  const std::string_view characters = a[0]->view();
  return in.heap().make_string(strip(text, Side::kBoth, &characters));
}

Result<Value> replace_filter(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("replace", args, {"old", "new", "count"}, 2));
  ONDOL_TRY(const Text text, to_text(in.heap(), input));
  ONDOL_TRY(const Text old_text, to_text(in.heap(), *a[0]));
  ONDOL_TRY(const Text new_text, to_text(in.heap(), *a[1]));
  ONDOL_TRY(const int64_t count, a.integer(2, -1));
  ONDOL_TRY(Text out, replace(in.heap(), text, old_text, new_text, count));
  return in.heap().make_string(std::move(out));
}

Result<Value> indent(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("indent", args, {"width", "first", "blank"}));
  if (input.is(Kind::kUndefined)) return undefined_error(input);
  if (!input.is(Kind::kString)) return failure("indent needs a string");
  Text margin;
  if (a.has(0) && a[0]->is(Kind::kString)) {
    margin = a[0]->text();
  } else {
    ONDOL_TRY(const int64_t width, a.integer(0, 4));
    ONDOL_RETURN_IF_ERROR(in.heap().admit(std::max<int64_t>(width, 0)));
    margin.append(std::string(static_cast<size_t>(std::max<int64_t>(width, 0)), ' '), false);
  }
  Text source = input.text();
  source.append("\n", false);
  const bool blank = a.truthy(2, false);
  Text out;
  if (a.truthy(1, false)) out.append(margin);
  const std::vector<Text> lines = split_lines(source, false);
  const std::vector<Text> whole_lines = split_lines(source, true);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out.append("\n", whole_lines[i - 1].from_message_at(whole_lines[i - 1].size() - 1));
    if (i > 0 && (blank || !lines[i].empty())) out.append(margin);
    out.append(lines[i]);
    in.heap().charge_steps(1);
    ONDOL_RETURN_IF_ERROR(in.heap().check());
    ONDOL_RETURN_IF_ERROR(in.heap().admit(static_cast<int64_t>(out.size())));
  }
  return in.heap().make_string(std::move(out));
}

Result<Value> center(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("center", args, {"width"}));
  ONDOL_TRY(const int64_t width, a.integer(0, 80));
  ONDOL_TRY(const Text text, to_text(in.heap(), input));
  ONDOL_TRY(Text out, pad_text(in.heap(), text, width, Side::kBoth, Text(" ", false)));
  return in.heap().make_string(std::move(out));
}

Result<Value> truncate(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("truncate", args, {"length", "killwords", "end", "leeway"}));
  ONDOL_TRY(const int64_t length, a.integer(0, 255));
  ONDOL_TRY(const int64_t leeway, a.integer(3, 5));
  if (input.is(Kind::kUndefined)) return in.heap().make_string(Text());
  if (input.is(Kind::kList) || input.is(Kind::kDict)) return input;
  if (!input.is(Kind::kString)) return failure("truncate needs a string");
  Text end("...", false);
  if (a.has(2)) {
    if (!a[2]->is(Kind::kString)) return failure("truncate needs a string as end");
    end = a[2]->text();
  }
  const auto end_length = static_cast<int64_t>(char_count(end.view()));
  if (length < end_length || leeway < 0) return failure("truncate: the length is too small");
  const Text& text = input.text();
  if (static_cast<int64_t>(char_count(text.view())) <= length + leeway) return input;
  Text out = text.slice(0, char_offset(text.view(), static_cast<size_t>(length - end_length)));
  if (!a.truthy(1, false)) {
    const size_t space = out.view().rfind(' ');
    if (space != std::string_view::npos) out = out.slice(0, space);
  }
  out.append(end);
  return in.heap().make_string(std::move(out));
}

Result<Value> escape(Interpreter& in, const Value& input, const CallArgs&) {
  ONDOL_TRY(const Text text, to_text(in.heap(), input));
  Text out;
  for (size_t at = 0; at < text.size(); ++at) {
    static constexpr std::string_view kPlain = "&<>\"'";
    static constexpr std::string_view kEscaped[] = {"&amp;", "&lt;", "&gt;", "&#34;", "&#39;"};
    const size_t i = kPlain.find(text.view()[at]);
    if (i == std::string_view::npos) {
      out.append(text, at, at + 1);
    } else {
      out.append(kEscaped[i], text.from_message_at(at));
    }
  }
  return in.heap().make_string(std::move(out));
}

void append_quoted(Text& out, const Text& text, std::string_view safe) {
  for (size_t at = 0; at < text.size(); ++at) {
    const auto c = static_cast<uint8_t>(text.view()[at]);
    const bool plain =
        c < 0x80 && ((is_alpha(c) || is_digit(c)) ||
                     std::string_view("_.-~").find(static_cast<char>(c)) != std::string_view::npos ||
                     safe.find(static_cast<char>(c)) != std::string_view::npos);
    static constexpr char kHex[] = "0123456789ABCDEF";
    const char quoted[] = {'%', kHex[c >> 4], kHex[c & 15]};
    if (plain) {
      out.append(text, at, at + 1);
    } else {
      out.append(std::string_view(quoted, 3), text.from_message_at(at));
    }
  }
}

Result<Value> urlencode(Interpreter& in, const Value& input, const CallArgs&) {
  Text out;
  if (input.is(Kind::kString) || !(input.is(Kind::kDict) || input.is(Kind::kList))) {
    ONDOL_TRY(const Text text, to_text(in.heap(), input));
    append_quoted(out, text, "/");
    return in.heap().make_string(std::move(out));
  }
  ONDOL_TRY(const Value items,
            input.is(Kind::kDict) ? call_method(in, input, "items", {}) : Result<Value>(input));
  ONDOL_TRY(const std::vector<Value> pairs, in.iterate(items));
  for (const Value& each : pairs) {
    ONDOL_TRY(const std::vector<Value> pair, in.iterate(each));
    if (pair.size() != 2) return failure("urlencode needs pairs");
    if (!out.empty()) out.append("&", false);
    ONDOL_TRY(const Text key, to_text(in.heap(), pair[0]));
    ONDOL_TRY(const Text value, to_text(in.heap(), pair[1]));
    append_quoted(out, key, "");
    out.append("=", false);
    append_quoted(out, value, "");
    ONDOL_RETURN_IF_ERROR(in.heap().admit(static_cast<int64_t>(out.size())));
  }
  return in.heap().make_string(std::move(out));
}

Result<Value> wordcount(Interpreter& in, const Value& input, const CallArgs&) {
  ONDOL_TRY(const Text text, to_text(in.heap(), input));
  int64_t count = 0;
  bool in_word = false;
  for (size_t at = 0; at < text.size(); at += char_bytes(text.view(), at)) {
    const uint32_t c = decode_char(text.view(), at);
    const bool word = is_alpha(c) || is_digit(c) || c == '_';
    count += word && !in_word ? 1 : 0;
    in_word = word;
  }
  return Value::integer(count);
}

Result<Value> format_filter(Interpreter& in, const Value& input, const CallArgs& args) {
  if (!args.positional.empty() && !args.named.empty()) {
    return failure("can't handle positional and keyword arguments at the same time");
  }
  ONDOL_TRY(const Text text, to_text(in.heap(), input));
  if (args.named.empty())
    return printf_format(in, text, in.heap().make_list(args.positional, ListKind::kTuple));
  const Value named = in.heap().make_dict();
  for (const auto& [key, value, mark] : args.named) named.entries().set(key, value, mark);
  return printf_format(in, text, named);
}

Result<Value> string_filter(Interpreter& in, const Value& input, const CallArgs&) {
  return in.make_text(input);
}

Result<Value> tojson(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a,
            Bound::bind("tojson", args, {"ensure_ascii", "indent", "separators", "sort_keys"}));
  JsonStyle style;
  // Jinja's own filter has `indent` as its first parameter: tojson(2).
  const bool own = a.has(0) && a[0]->is(Kind::kInt) && !a.has(1);
  style.ensure_ascii = !own && a.truthy(0, false);
  style.sort_keys = a.truthy(3, false);
  const Value* wanted_indent = own ? a[0] : a.given(1) ? a[1] : nullptr;
  if (wanted_indent != nullptr) {
    style.item_separator = ",";
    if (wanted_indent->is(Kind::kString)) {
      style.indent = std::string(wanted_indent->view());
      style.from_message |= wanted_indent->text().any_from_message();
    } else if (wanted_indent->is_integral()) {
      style.indent = std::string(
          static_cast<size_t>(std::clamp<int64_t>(wanted_indent->as_int(), 0, kIndentBytesMax)), ' ');
    } else {
      return failure("tojson: indent must be a number or a string");
    }
    if (style.indent->size() > kIndentBytesMax) return failure("tojson: the indent is too long");
  }
  if (a.given(2)) {
    ONDOL_TRY(const std::vector<Value> separators, in.iterate(*a[2]));
    if (separators.size() != 2 || !separators[0].is(Kind::kString) || !separators[1].is(Kind::kString)) {
      return failure("tojson: separators must be two strings");
    }
    style.item_separator = separators[0].view();
    style.key_separator = separators[1].view();
    for (const Value& separator : separators) style.from_message |= separator.text().any_from_message();
  }
  ONDOL_TRY(Text out, write_json(in.heap(), input, style));
  return in.heap().make_string(std::move(out));
}

constexpr FilterEntry kFilters[] = {
    {"upper", upper},
    {"lower", lower},
    {"capitalize", capitalize_filter},
    {"title", title_filter},
    {"trim", trim},
    {"replace", replace_filter},
    {"indent", indent},
    {"center", center},
    {"truncate", truncate},
    {"e", escape},
    {"escape", escape},
    {"forceescape", escape},
    {"urlencode", urlencode},
    {"wordcount", wordcount},
    {"format", format_filter},
    {"string", string_filter},
    {"safe", string_filter},
    {"tojson", tojson},
};

}  // namespace

std::span<const FilterEntry> text_filters() { return kFilters; }

}  // namespace ondol::chat::jinja
