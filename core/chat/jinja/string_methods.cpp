// The methods of Python's str that templates call.
#include "core/chat/jinja/string_methods.h"

#include <algorithm>

#include "core/chat/jinja/formatting.h"
#include "core/chat/jinja/printing.h"
#include "core/chat/jinja/text_functions.h"
#include "core/chat/jinja/unicode.h"

namespace ondol::chat::jinja {
namespace {

using Method = Result<Value> (*)(Interpreter&, const Text&, std::string_view, const CallArgs&);

Error wants_string(const Value& value) {
  if (value.is(Kind::kUndefined)) return undefined_error(value);
  return failure("expected a string, not '" + std::string(type_name(value)) + "'");
}

Value text_list(Heap& heap, std::vector<Text> parts, ListKind kind = ListKind::kList) {
  std::vector<Value> values;
  for (Text& part : parts) values.push_back(heap.make_string(std::move(part)));
  return heap.make_list(std::move(values), kind);
}

Result<Value> strip_method(Interpreter& in, const Text& self, std::string_view name, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind(name, args, {"chars"}));
  const Side side = name == "lstrip" ? Side::kLeft : name == "rstrip" ? Side::kRight : Side::kBoth;
  if (!a.given(0)) return in.heap().make_string(strip(self, side));
  if (!a[0]->is(Kind::kString)) return wants_string(*a[0]);
  const std::string_view characters = a[0]->view();
  return in.heap().make_string(strip(self, side, &characters));
}

// Splits at white space, as str.split() without a separator.
std::vector<Text> split_words(const Text& text, int64_t count, bool from_right) {
  const std::string_view view = text.view();
  std::vector<std::pair<size_t, size_t>> words;
  for (size_t at = 0; at < view.size();) {
    if (is_space(decode_char(view, at))) {
      at += char_bytes(view, at);
      continue;
    }
    const size_t begin = at;
    while (at < view.size() && !is_space(decode_char(view, at))) at += char_bytes(view, at);
    words.emplace_back(begin, at);
  }
  std::vector<Text> out;
  const auto limit = static_cast<size_t>(count < 0 ? static_cast<int64_t>(words.size()) : count);
  if (words.size() <= limit || words.empty()) {
    for (const auto& [begin, end] : words) out.push_back(text.slice(begin, end));
  } else if (from_right) {
    const size_t whole = words.size() - limit;
    out.push_back(text.slice(0, words[whole - 1].second));
    for (size_t i = whole; i < words.size(); ++i) out.push_back(text.slice(words[i].first, words[i].second));
  } else {
    for (size_t i = 0; i < limit; ++i) out.push_back(text.slice(words[i].first, words[i].second));
    out.push_back(text.slice(words[limit].first, view.size()));
  }
  return out;
}

Result<Value> split_method(Interpreter& in, const Text& self, std::string_view name, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind(name, args, {"sep", "maxsplit"}));
  ONDOL_TRY(int64_t count, a.integer(1, -1));
  const bool from_right = name == "rsplit";
  if (!a.given(0)) return text_list(in.heap(), split_words(self, count, from_right));
  if (!a[0]->is(Kind::kString)) return wants_string(*a[0]);
  const std::string_view separator = a[0]->view();
  if (separator.empty()) return failure("empty separator");
  std::vector<Text> out;
  const std::string_view view = self.view();
  if (from_right) {
    size_t end = view.size();
    for (; count != 0; --count) {
      const size_t found =
          end < separator.size() ? std::string_view::npos : view.rfind(separator, end - separator.size());
      if (found == std::string_view::npos) break;
      out.push_back(self.slice(found + separator.size(), end));
      end = found;
    }
    out.push_back(self.slice(0, end));
    std::reverse(out.begin(), out.end());
  } else {
    size_t begin = 0;
    for (; count != 0; --count) {
      const size_t found = view.find(separator, begin);
      if (found == std::string_view::npos) break;
      out.push_back(self.slice(begin, found));
      begin = found + separator.size();
      in.heap().charge_steps(1);
      in.heap().charge_bytes(128);
      ONDOL_RETURN_IF_ERROR(in.heap().check());
    }
    out.push_back(self.slice(begin, view.size()));
  }
  return text_list(in.heap(), std::move(out));
}

Result<Value> lines_method(Interpreter& in, const Text& self, std::string_view name, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind(name, args, {"keepends"}));
  return text_list(in.heap(), split_lines(self, a.truthy(0, false)));
}

Result<Value> partition_method(Interpreter& in, const Text& self, std::string_view name,
                               const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind(name, args, {"sep"}, 1));
  if (!a[0]->is(Kind::kString)) return wants_string(*a[0]);
  const std::string_view separator = a[0]->view();
  if (separator.empty()) return failure("empty separator");
  const bool right = name == "rpartition";
  const size_t found = right ? self.view().rfind(separator) : self.view().find(separator);
  std::vector<Text> parts;
  if (found == std::string_view::npos) {
    parts = {self, Text(), Text()};
    if (right) std::swap(parts[0], parts[2]);
  } else {
    const size_t after = found + separator.size();
    parts = {self.slice(0, found), self.slice(found, after), self.slice(after, self.size())};
  }
  return text_list(in.heap(), std::move(parts), ListKind::kTuple);
}

// The part of `self` between two character positions, as Python's optional start and end.
Result<std::pair<size_t, size_t>> window(const Text& self, const Bound& a) {
  const auto length = static_cast<int64_t>(char_count(self.view()));
  ONDOL_TRY(int64_t start, a.integer(1, 0));
  ONDOL_TRY(int64_t end, a.integer(2, length));
  if (start < 0) start = std::max<int64_t>(start + length, 0);
  if (end < 0) end = std::max<int64_t>(end + length, 0);
  end = std::min(end, length);
  if (start > length || start > end) return std::pair<size_t, size_t>(1, 0);  // nothing fits, not even ""
  return std::pair(char_offset(self.view(), static_cast<size_t>(start)),
                   char_offset(self.view(), static_cast<size_t>(end)));
}

Result<Value> affix_method(Interpreter&, const Text& self, std::string_view name, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind(name, args, {"prefix", "start", "end"}, 1));
  ONDOL_TRY(const auto range, window(self, a));
  if (range.first > range.second) return Value::boolean(false);
  const std::string_view view = self.view().substr(range.first, range.second - range.first);
  const auto matches = [&](const Value& affix) {
    return name == "startswith" ? view.starts_with(affix.view()) : view.ends_with(affix.view());
  };
  if (a[0]->is(Kind::kString)) return Value::boolean(matches(*a[0]));
  if (!a[0]->is(Kind::kList) || a[0]->items().kind != ListKind::kTuple) return wants_string(*a[0]);
  for (const Value& affix : a[0]->items().values) {
    if (!affix.is(Kind::kString)) return wants_string(affix);
    if (matches(affix)) return Value::boolean(true);
  }
  return Value::boolean(false);
}

Result<Value> find_method(Interpreter& in, const Text& self, std::string_view name, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind(name, args, {"sub", "start", "end"}, 1));
  if (!a[0]->is(Kind::kString)) return wants_string(*a[0]);
  ONDOL_TRY(const auto range, window(self, a));
  in.heap().charge_steps(static_cast<int64_t>(self.size() / 64));
  const std::string_view needle = a[0]->view();
  const bool fits = range.first <= range.second;
  const std::string_view view = fits ? self.view().substr(range.first, range.second - range.first) : "";
  if (name == "count") {
    int64_t count = 0;
    if (fits && needle.empty()) count = static_cast<int64_t>(char_count(view)) + 1;
    for (size_t at = 0; fits && !needle.empty(); ++count) {
      at = view.find(needle, at);
      if (at == std::string_view::npos) break;
      at += needle.size();
    }
    return Value::integer(count);
  }
  const bool right = name == "rfind" || name == "rindex";
  const size_t found = !fits ? std::string_view::npos : right ? view.rfind(needle) : view.find(needle);
  if (found != std::string_view::npos) {
    return Value::integer(static_cast<int64_t>(char_count(self.view().substr(0, range.first + found))));
  }
  if (name == "index" || name == "rindex") return failure("substring not found");
  return Value::integer(-1);
}

Result<Value> replace_method(Interpreter& in, const Text& self, std::string_view name, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind(name, args, {"old", "new", "count"}, 2));
  if (!a[0]->is(Kind::kString)) return wants_string(*a[0]);
  if (!a[1]->is(Kind::kString)) return wants_string(*a[1]);
  ONDOL_TRY(const int64_t count, a.integer(2, -1));
  ONDOL_TRY(Text out, replace(in.heap(), self, a[0]->text(), a[1]->text(), count));
  return in.heap().make_string(std::move(out));
}

uint32_t swap_case(uint32_t c) { return is_upper(c) ? to_lower(c) : to_upper(c); }

Result<Value> case_method(Interpreter& in, const Text& self, std::string_view name, const CallArgs& args) {
  ONDOL_RETURN_IF_ERROR(Bound::bind(name, args, {}));
  if (name == "upper") return in.heap().make_string(map_characters(self, to_upper));
  if (name == "swapcase") return in.heap().make_string(map_characters(self, swap_case));
  if (name == "capitalize") return in.heap().make_string(capitalize(self));
  if (name == "title") return in.heap().make_string(title(self));
  return in.heap().make_string(map_characters(self, to_lower));  // lower, casefold
}

Result<Value> is_method(Interpreter&, const Text& self, std::string_view name, const CallArgs& args) {
  ONDOL_RETURN_IF_ERROR(Bound::bind(name, args, {}));
  const std::string_view view = self.view();
  bool all = !view.empty(), cased = false, wrong_case = false, starts_words = true, in_word = false;
  for (size_t at = 0; at < view.size(); at += char_bytes(view, at)) {
    const uint32_t c = decode_char(view, at);
    const bool upper = is_upper(c), lower = is_lower(c);
    cased |= upper || lower;
    if (name == "isalpha") all &= is_alpha(c);
    if (name == "isalnum") all &= is_alpha(c) || is_digit(c);
    if (name == "isdigit" || name == "isdecimal" || name == "isnumeric") all &= is_digit(c);
    if (name == "isspace") all &= is_space(c);
    if (name == "isupper") wrong_case |= lower;
    if (name == "islower") wrong_case |= upper;
    starts_words &= in_word ? !upper : !lower;
    in_word = upper || lower;
  }
  if (name == "isupper" || name == "islower") return Value::boolean(cased && !wrong_case);
  if (name == "istitle") return Value::boolean(cased && starts_words);
  if (name == "isascii") {
    return Value::boolean(
        std::all_of(view.begin(), view.end(), [](char c) { return static_cast<uint8_t>(c) < 0x80; }));
  }
  return Value::boolean(all);
}

Result<Value> join_method(Interpreter& in, const Text& self, std::string_view name, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind(name, args, {"iterable"}, 1));
  ONDOL_TRY(const std::vector<Value> parts, in.iterate(*a[0]));
  for (const Value& part : parts) {
    if (!part.is(Kind::kString)) {
      return failure("sequence item: expected str instance, " + std::string(type_name(part)) + " found");
    }
  }
  ONDOL_TRY(Text out, join(in.heap(), parts, self));
  return in.heap().make_string(std::move(out));
}

Result<Value> pad_method(Interpreter& in, const Text& self, std::string_view name, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind(name, args, {"width", "fillchar"}, 1));
  ONDOL_TRY(const int64_t width, a.integer(0, 0));
  if (name == "zfill") {
    const bool sign = !self.empty() && (self.view()[0] == '-' || self.view()[0] == '+');
    const Text body = self.slice(sign ? 1 : 0, self.size());
    ONDOL_TRY(const Text padded,
              pad_text(in.heap(), body, width - (sign ? 1 : 0), Side::kLeft, Text("0", false)));
    Text out = self.slice(0, sign ? 1 : 0);
    out.append(padded);
    return in.heap().make_string(std::move(out));
  }
  Text fill(" ", false);
  if (a.has(1)) {
    if (!a[1]->is(Kind::kString)) return wants_string(*a[1]);
    if (char_count(a[1]->view()) != 1) return failure("the fill character must be one character");
    fill = a[1]->text();
  }
  const Side side = name == "ljust" ? Side::kRight : name == "rjust" ? Side::kLeft : Side::kBoth;
  ONDOL_TRY(Text out, pad_text(in.heap(), self, width, side, fill));
  return in.heap().make_string(std::move(out));
}

Result<Value> remove_method(Interpreter& in, const Text& self, std::string_view name, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind(name, args, {"affix"}, 1));
  if (!a[0]->is(Kind::kString)) return wants_string(*a[0]);
  const size_t bytes = a[0]->text().size();
  if (name == "removeprefix" && self.view().starts_with(a[0]->view())) {
    return in.heap().make_string(self.slice(bytes, self.size()));
  }
  if (name == "removesuffix" && self.view().ends_with(a[0]->view())) {
    return in.heap().make_string(self.slice(0, self.size() - bytes));
  }
  return in.heap().make_string(self);
}

Result<Value> format_method(Interpreter& in, const Text& self, std::string_view, const CallArgs& args) {
  return braces_format(in, self, args);
}

struct Entry {
  std::string_view name;
  Method method;
};

constexpr Entry kMethods[] = {
    {"strip", strip_method},         {"lstrip", strip_method},
    {"rstrip", strip_method},        {"split", split_method},
    {"rsplit", split_method},        {"splitlines", lines_method},
    {"partition", partition_method}, {"rpartition", partition_method},
    {"startswith", affix_method},    {"endswith", affix_method},
    {"find", find_method},           {"rfind", find_method},
    {"index", find_method},          {"rindex", find_method},
    {"count", find_method},          {"replace", replace_method},
    {"join", join_method},           {"format", format_method},
    {"upper", case_method},          {"lower", case_method},
    {"casefold", case_method},       {"swapcase", case_method},
    {"capitalize", case_method},     {"title", case_method},
    {"isalpha", is_method},          {"isalnum", is_method},
    {"isdigit", is_method},          {"isdecimal", is_method},
    {"isnumeric", is_method},        {"isspace", is_method},
    {"isupper", is_method},          {"islower", is_method},
    {"istitle", is_method},          {"isascii", is_method},
    {"center", pad_method},          {"ljust", pad_method},
    {"rjust", pad_method},           {"zfill", pad_method},
    {"removeprefix", remove_method}, {"removesuffix", remove_method},
};

const Entry* find_entry(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kMethods), std::end(kMethods), [&](const Entry& e) { return e.name == name; });
  return found == std::end(kMethods) ? nullptr : found;
}

}  // namespace

bool has_string_method(std::string_view name) { return find_entry(name) != nullptr; }

Result<Value> call_string_method(Interpreter& in, const Text& self, std::string_view name,
                                 const CallArgs& args) {
  const Entry* entry = find_entry(name);
  if (entry == nullptr) return failure("a string has no method '" + std::string(name) + "'");
  in.heap().charge_steps(static_cast<int64_t>(self.size() / 128));
  return entry->method(in, self, name, args);
}

}  // namespace ondol::chat::jinja
