#include "core/chat/jinja/filters.h"

#include <unordered_map>

namespace ondol::chat::jinja {
namespace {

using Run = decltype(FilterEntry::run);

const std::unordered_map<std::string_view, Run>& all_filters() {
  static const std::unordered_map<std::string_view, Run> kFilters = [] {
    std::unordered_map<std::string_view, Run> out;
    for (const auto group :
         {text_filters(), number_filters(), sequence_filters(), choosing_filters(), ordering_filters()}) {
      for (const FilterEntry& entry : group) out.emplace(entry.name, entry.run);
    }
    return out;
  }();
  return kFilters;
}

}  // namespace

bool has_filter(std::string_view name) { return all_filters().contains(name); }

Result<Value> Interpreter::filter(std::string_view name, const Value& input, const CallArgs& args) {
  const auto found = all_filters().find(name);
  if (found == all_filters().end()) return failure("No filter named '" + std::string(name) + "'.");
  heap_.charge_steps(1);
  ONDOL_RETURN_IF_ERROR(heap_.check());
  return found->second(*this, input, args);
}

}  // namespace ondol::chat::jinja
