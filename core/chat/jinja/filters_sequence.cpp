// Filters that take sequences apart or put them together.
#include <algorithm>

#include "core/chat/jinja/filters.h"
#include "core/chat/jinja/printing.h"
#include "core/chat/jinja/text_functions.h"
#include "core/chat/jinja/unicode.h"

namespace ondol::chat::jinja {
namespace {

Result<Value> length(Interpreter&, const Value& input, const CallArgs& args) {
  ONDOL_RETURN_IF_ERROR(Bound::bind("length", args, {}));
  switch (input.kind()) {
    case Kind::kUndefined: return Value::integer(0);
    case Kind::kString: return Value::integer(static_cast<int64_t>(char_count(input.view())));
    case Kind::kDict: return Value::integer(static_cast<int64_t>(input.entries().size()));
    case Kind::kLoop: return Value::integer(static_cast<int64_t>(input.loop_state().values.size()));
    case Kind::kList:
      if (input.items().kind != ListKind::kGenerator) {
        return Value::integer(static_cast<int64_t>(input.items().values.size()));
      }
      break;
    default: break;
  }
  return failure("object of type '" + std::string(type_name(input)) + "' has no len()");
}

Result<Value> default_filter(Interpreter&, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("default", args, {"default_value", "boolean"}));
  const bool replaces = input.is(Kind::kUndefined) || (a.truthy(1, false) && !truthy(input));
  if (!replaces) return input;
  return a.has(0) ? *a[0] : Value::string("");
}

Result<Value> join_filter(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("join", args, {"d", "attribute"}));
  ONDOL_TRY(std::vector<Value> parts, in.iterate(input));
  if (a.given(1)) {
    for (Value& part : parts) {
      ONDOL_TRY(part, in.attribute_path(part, *a[1]));
    }
  }
  Text separator;
  if (a.has(0)) {
    ONDOL_TRY(separator, to_text(in.heap(), *a[0]));
  }
  ONDOL_TRY(Text out, join(in.heap(), parts, separator));
  return in.heap().make_string(std::move(out));
}

Result<Value> first(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_RETURN_IF_ERROR(Bound::bind("first", args, {}));
  if (input.is(Kind::kList) && input.items().kind == ListKind::kGenerator && !input.items().values.empty()) {
    Value out = input.items().values.front();
    input.items().values.erase(input.items().values.begin());
    return out;
  }
  if (input.is(Kind::kString) && !input.text().empty()) return in.item(input, Value::integer(0));
  ONDOL_TRY(const std::vector<Value> values, in.iterate(input));
  return values.empty() ? Value::undefined("No first item, sequence was empty.") : values.front();
}

Result<Value> last(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_RETURN_IF_ERROR(Bound::bind("last", args, {}));
  if (input.is(Kind::kString) && !input.text().empty()) return in.item(input, Value::integer(-1));
  if (input.is(Kind::kList) && input.items().kind == ListKind::kGenerator) {
    return failure("'generator' object is not reversible");
  }
  ONDOL_TRY(const std::vector<Value> values, in.iterate(input));
  return values.empty() ? Value::undefined("No last item, sequence was empty.") : values.back();
}

Result<Value> list_filter(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_RETURN_IF_ERROR(Bound::bind("list", args, {}));
  ONDOL_TRY(std::vector<Value> values, in.iterate(input));
  return in.heap().make_list(std::move(values));
}

Result<Value> reverse(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_RETURN_IF_ERROR(Bound::bind("reverse", args, {}));
  if (input.is(Kind::kString)) {
    const Text& text = input.text();
    std::vector<size_t> offsets;
    for (size_t at = 0; at < text.size(); at += char_bytes(text.view(), at)) offsets.push_back(at);
    offsets.push_back(text.size());
    Text out;
    for (size_t i = offsets.size() - 1; i > 0; --i) out.append(text, offsets[i - 1], offsets[i]);
    in.heap().charge_steps(static_cast<int64_t>(offsets.size() / 16));
    return in.heap().make_string(std::move(out));
  }
  ONDOL_TRY(std::vector<Value> values, in.iterate(input));
  std::reverse(values.begin(), values.end());
  return in.heap().make_list(std::move(values), ListKind::kGenerator);
}

Result<Value> items(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_RETURN_IF_ERROR(Bound::bind("items", args, {}));
  if (input.is(Kind::kUndefined)) return in.heap().make_list({}, ListKind::kGenerator);
  if (!input.is(Kind::kDict)) return failure("Can only get item pairs from a mapping.");
  ONDOL_TRY(const Value view, call_method(in, input, "items", {}));
  return in.heap().make_list(view.items().values, ListKind::kGenerator);
}

Result<Value> sum(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("sum", args, {"attribute", "start"}));
  ONDOL_TRY(const std::vector<Value> values, in.iterate(input));
  Value total = a.has(1) ? *a[1] : Value::integer(0);
  if (total.is(Kind::kString)) return failure("sum() can't sum strings");
  for (const Value& value : values) {
    Value part = value;
    if (a.given(0)) {
      ONDOL_TRY(part, in.attribute_path(value, *a[0]));
    }
    ONDOL_TRY(total, binary_operation(in.heap(), "+", total, part));
    ONDOL_RETURN_IF_ERROR(in.heap().check());
  }
  return total;
}

Result<Value> batch(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("batch", args, {"linecount", "fill_with"}, 1));
  ONDOL_TRY(const int64_t size, a.integer(0, 1));
  ONDOL_TRY(const std::vector<Value> values, in.iterate(input));
  std::vector<Value> out, row;
  for (const Value& value : values) {
    if (static_cast<int64_t>(row.size()) == size) out.push_back(in.heap().make_list(std::exchange(row, {})));
    row.push_back(value);
  }
  if (!row.empty()) {
    if (a.given(1)) {
      if (size > kRangeItemsMax) return failure("batch: a row is too long");
      while (static_cast<int64_t>(row.size()) < size) row.push_back(*a[1]);
    }
    out.push_back(in.heap().make_list(std::move(row)));
  }
  return in.heap().make_list(std::move(out), ListKind::kGenerator);
}

Result<Value> slice(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("slice", args, {"slices", "fill_with"}, 1));
  ONDOL_TRY(const int64_t slices, a.integer(0, 1));
  ONDOL_TRY(const std::vector<Value> values, in.iterate(input));
  if (slices <= 0 || slices > kRangeItemsMax) return failure("slice: the number of slices is out of range");
  const auto count = static_cast<int64_t>(values.size());
  const int64_t size = count / slices;
  const int64_t longer = count % slices;
  std::vector<Value> out;
  for (int64_t i = 0, at = 0; i < slices; ++i) {
    const int64_t end = at + size + (i < longer ? 1 : 0);
    std::vector<Value> part(values.begin() + at, values.begin() + end);
    if (a.given(1) && i >= longer) part.push_back(*a[1]);
    out.push_back(in.heap().make_list(std::move(part)));
    at = end;
  }
  return in.heap().make_list(std::move(out), ListKind::kGenerator);
}

constexpr FilterEntry kFilters[] = {
    {"length", length},    {"count", length},     {"default", default_filter},
    {"d", default_filter}, {"join", join_filter}, {"first", first},
    {"last", last},        {"list", list_filter}, {"reverse", reverse},
    {"items", items},      {"sum", sum},          {"batch", batch},
    {"slice", slice},
};

}  // namespace

std::span<const FilterEntry> sequence_filters() { return kFilters; }

}  // namespace ondol::chat::jinja
