// Filters that order: sort, unique, groupby, dictsort, min, max.
#include <algorithm>

#include "core/chat/jinja/comparing.h"
#include "core/chat/jinja/filters.h"
#include "core/chat/jinja/printing.h"
#include "core/chat/jinja/text_functions.h"
#include "core/chat/jinja/unicode.h"

namespace ondol::chat::jinja {

Value sort_key(Interpreter& in, const Value& value, bool case_sensitive) {
  if (case_sensitive || !value.is(Kind::kString)) return value;
  return in.heap().make_string(map_characters(value.text(), to_lower));
}

// `keyed`: (key, value). Equal keys keep their order, in reverse too.
Result<void> sort_values(Heap& heap, std::vector<std::pair<Value, Value>>& keyed, bool reverse) {
  std::vector<std::pair<Value, Value>> merged(keyed.size());
  for (size_t width = 1; width < keyed.size(); width *= 2) {
    for (size_t begin = 0; begin < keyed.size(); begin += 2 * width) {
      const size_t middle = std::min(begin + width, keyed.size());
      const size_t end = std::min(begin + 2 * width, keyed.size());
      size_t left = begin, right = middle;
      for (size_t out = begin; out < end; ++out) {
        bool take_right = left >= middle;
        if (!take_right && right < end) {
          ONDOL_TRY(take_right, reverse ? less(heap, keyed[left].first, keyed[right].first)
                                        : less(heap, keyed[right].first, keyed[left].first));
        }
        merged[out] = std::move(keyed[take_right ? right++ : left++]);
      }
    }
    keyed.swap(merged);
  }
  return {};
}

namespace {

using Keyed = std::vector<std::pair<Value, Value>>;

// Pairs every value with what it is ordered by. With `several`, `attribute` may name more than one, "a,b",
// and the key is a list.
Result<Keyed> with_keys(Interpreter& in, const std::vector<Value>& values, const Value* attribute,
                        bool case_sensitive, const Value* otherwise = nullptr, bool several = false) {
  Keyed keyed;
  for (const Value& value : values) {
    if (attribute == nullptr) {
      keyed.emplace_back(sort_key(in, value, case_sensitive), value);
      continue;
    }
    std::vector<Value> keys;
    std::string_view rest = attribute->is(Kind::kString) ? attribute->view() : "";
    do {
      const size_t comma = several ? rest.find(',') : std::string_view::npos;
      const Value path = attribute->is(Kind::kString) ? Value::string(rest.substr(0, comma)) : *attribute;
      ONDOL_TRY(Value key, in.attribute_path(value, path));
      if (key.is(Kind::kUndefined) && otherwise != nullptr) key = *otherwise;
      keys.push_back(sort_key(in, key, case_sensitive));
      rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    } while (!rest.empty());
    keyed.emplace_back(!several ? keys[0] : in.heap().make_list(std::move(keys)), value);
  }
  return keyed;
}

Result<Value> sort(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("sort", args, {"reverse", "case_sensitive", "attribute"}));
  ONDOL_TRY(const std::vector<Value> values, in.iterate(input));
  ONDOL_TRY(Keyed keyed,
            with_keys(in, values, a.given(2) ? a[2] : nullptr, a.truthy(1, false), nullptr, true));
  ONDOL_RETURN_IF_ERROR(sort_values(in.heap(), keyed, a.truthy(0, false)));
  std::vector<Value> out;
  for (auto& [key, value] : keyed) out.push_back(std::move(value));
  return in.heap().make_list(std::move(out));
}

Result<Value> unique(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("unique", args, {"case_sensitive", "attribute"}));
  ONDOL_TRY(const std::vector<Value> values, in.iterate(input));
  ONDOL_TRY(const Keyed keyed, with_keys(in, values, a.given(1) ? a[1] : nullptr, a.truthy(0, false)));
  Dict seen;
  std::vector<Value> out;
  for (const auto& [key, value] : keyed) {
    if (!Dict::hashable(key)) return failure("unhashable type: '" + std::string(type_name(key)) + "'");
    if (seen.find(key) != nullptr) continue;
    seen.set(key, Value::none());
    out.push_back(value);
  }
  return in.heap().make_list(std::move(out), ListKind::kGenerator);
}

Result<Value> groupby(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("groupby", args, {"attribute", "default", "case_sensitive"}, 1));
  ONDOL_TRY(const std::vector<Value> values, in.iterate(input));
  const bool case_sensitive = a.truthy(2, false);
  ONDOL_TRY(Keyed keyed, with_keys(in, values, a[0], case_sensitive, a.given(1) ? a[1] : nullptr));
  ONDOL_RETURN_IF_ERROR(sort_values(in.heap(), keyed, false));
  std::vector<Value> groups;
  for (size_t at = 0; at < keyed.size();) {
    const Value key = keyed[at].first;
    std::vector<Value> members;
    for (; at < keyed.size(); ++at) {
      ONDOL_TRY(const bool same, equal(in.heap(), keyed[at].first, key));
      if (!same) break;
      members.push_back(keyed[at].second);
    }
    // The group is named as its first member spells it.
    Value name = key;
    if (!case_sensitive) {
      ONDOL_TRY(name, in.attribute_path(members.front(), *a[0]));
      if (name.is(Kind::kUndefined) && a.given(1)) name = *a[1];
    }
    const Value list = in.heap().make_list(std::move(members));
    const Value group = in.heap().make_list({name, list}, ListKind::kTuple);
    groups.push_back(group);
  }
  return in.heap().make_list(std::move(groups));
}

Result<Value> dictsort(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("dictsort", args, {"case_sensitive", "by", "reverse"}));
  if (input.is(Kind::kUndefined)) return undefined_error(input);
  if (!input.is(Kind::kDict)) return failure("dictsort needs a mapping");
  const std::string_view by = a.has(1) && a[1]->is(Kind::kString) ? a[1]->view() : "key";
  if (by != "key" && by != "value") return failure("You can only sort by either \"key\" or \"value\"");
  Keyed keyed;
  for (const Dict::Entry& entry : input.entries().entries()) {
    const Value pair = in.heap().make_list({entry.key, entry.value}, ListKind::kTuple);
    keyed.emplace_back(sort_key(in, by == "key" ? entry.key : entry.value, a.truthy(0, false)), pair);
  }
  ONDOL_RETURN_IF_ERROR(sort_values(in.heap(), keyed, a.truthy(2, false)));
  std::vector<Value> out;
  for (auto& [key, value] : keyed) out.push_back(std::move(value));
  return in.heap().make_list(std::move(out));
}

Result<Value> extreme(Interpreter& in, const Value& input, const CallArgs& args, bool largest) {
  ONDOL_TRY(const Bound a, Bound::bind(largest ? "max" : "min", args, {"case_sensitive", "attribute"}));
  ONDOL_TRY(const std::vector<Value> values, in.iterate(input));
  if (values.empty()) return Value::undefined("No aggregated item, sequence was empty.");
  ONDOL_TRY(const Keyed keyed, with_keys(in, values, a.given(1) ? a[1] : nullptr, a.truthy(0, false)));
  size_t best = 0;
  for (size_t i = 1; i < keyed.size(); ++i) {
    ONDOL_TRY(const bool better, largest ? less(in.heap(), keyed[best].first, keyed[i].first)
                                         : less(in.heap(), keyed[i].first, keyed[best].first));
    if (better) best = i;
  }
  return keyed[best].second;
}

Result<Value> max(Interpreter& in, const Value& input, const CallArgs& args) {
  return extreme(in, input, args, true);
}
Result<Value> min(Interpreter& in, const Value& input, const CallArgs& args) {
  return extreme(in, input, args, false);
}

constexpr FilterEntry kFilters[] = {
    {"sort", sort},         {"unique", unique}, {"groupby", groupby},
    {"dictsort", dictsort}, {"max", max},       {"min", min},
};

}  // namespace

std::span<const FilterEntry> ordering_filters() { return kFilters; }

}  // namespace ondol::chat::jinja
