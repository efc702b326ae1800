// What can stand after `|`. Each group of filters is a table in its own file.
#pragma once

#include <span>
#include <string_view>

#include "core/chat/jinja/interpreter.h"

namespace ondol::chat::jinja {

struct FilterEntry {
  std::string_view name;
  Result<Value> (*run)(Interpreter& in, const Value& input, const CallArgs& args);
};

std::span<const FilterEntry> text_filters();
std::span<const FilterEntry> number_filters();
std::span<const FilterEntry> sequence_filters();
std::span<const FilterEntry> choosing_filters();  // map, select, reject and their like
std::span<const FilterEntry> ordering_filters();  // sort, unique, groupby, min, max, dictsort

// Stable merge sort whose order may fail (types without one).
Result<void> sort_values(Heap& heap, std::vector<std::pair<Value, Value>>& keyed, bool reverse);
// What a value is ordered by: its lower case, unless case matters.
Value sort_key(Interpreter& in, const Value& value, bool case_sensitive);

}  // namespace ondol::chat::jinja
