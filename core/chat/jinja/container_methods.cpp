// Methods of lists, dicts, loops and cyclers, and the dispatch of all methods. Hugging Face's sandbox
// refuses to change lists; here append and its like work, since a value never outlives its render.
#include <algorithm>

#include "core/chat/jinja/comparing.h"
#include "core/chat/jinja/interpreter.h"
#include "core/chat/jinja/printing.h"
#include "core/chat/jinja/string_methods.h"

namespace ondol::chat::jinja {
namespace {

constexpr std::string_view kDictMethods[] = {"items", "keys", "values", "get", "copy", "update"};
constexpr std::string_view kListMethods[] = {"append", "extend", "insert", "pop", "index", "count", "copy"};
constexpr std::string_view kTupleMethods[] = {"index", "count"};

template <size_t N>
bool among(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

Result<Value> dict_method(Interpreter& in, const Value& self, std::string_view name, const CallArgs& args) {
  Heap& heap = in.heap();
  Dict& dict = self.entries();
  if (name == "get") {
    ONDOL_TRY(const Bound a, Bound::bind(name, args, {"key", "default"}, 1));
    if (!Dict::hashable(*a[0])) return failure("unhashable type: '" + std::string(type_name(*a[0])) + "'");
    if (const Value* value = dict.find(*a[0])) return *value;
    return a.has(1) ? *a[1] : Value::none();
  }
  if (name == "update") {
    for (const Value& other : args.positional) {
      if (!other.is(Kind::kDict)) return failure("update() needs a dict");
      const Dict copy = other.entries();
      for (const Dict::Entry& entry : copy.entries()) dict.set(entry.key, entry.value);
      heap.charge_bytes(static_cast<int64_t>(copy.size() * 256));
    }
    for (const auto& [key, value, mark] : args.named) dict.set(key, value, mark);
    ONDOL_RETURN_IF_ERROR(heap.check());
    return Value::none();
  }
  ONDOL_RETURN_IF_ERROR(Bound::bind(name, args, {}));
  if (name == "copy") {
    const Value out = heap.make_dict();
    heap.charge_bytes(static_cast<int64_t>(dict.size() * 256));
    out.entries() = dict;
    return out;
  }
  std::vector<Value> values;
  for (const Dict::Entry& entry : dict.entries()) {
    if (name == "keys") values.push_back(entry.key);
    if (name == "values") values.push_back(entry.value);
    if (name == "items") values.push_back(heap.make_list({entry.key, entry.value}, ListKind::kTuple));
  }
  const ListKind kind = name == "keys"     ? ListKind::kKeys
                        : name == "values" ? ListKind::kValues
                                           : ListKind::kItems;
  return heap.make_list(std::move(values), kind);
}

Result<Value> list_method(Interpreter& in, const Value& self, std::string_view name, const CallArgs& args) {
  Heap& heap = in.heap();
  std::vector<Value>& values = self.items().values;
  const auto length = static_cast<int64_t>(values.size());
  if (name == "copy") return heap.make_list(values);
  if (name == "pop") {
    ONDOL_TRY(const Bound a, Bound::bind(name, args, {"index"}));
    ONDOL_TRY(int64_t index, a.integer(0, -1));
    if (index < 0) index += length;
    if (index < 0 || index >= length) return failure("pop index out of range");
    Value out = values[static_cast<size_t>(index)];
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(index));
    heap.charge_steps(length / 64);
    return out;
  }
  if (name == "insert") {
    ONDOL_TRY(const Bound a, Bound::bind(name, args, {"index", "object"}, 2));
    ONDOL_TRY(int64_t index, a.integer(0, 0));
    if (index < 0) index = std::max<int64_t>(index + length, 0);
    index = std::min(index, length);
    heap.charge_steps(length / 64);
    heap.charge_bytes(sizeof(Value));
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(index), *a[1]);
    return Value::none();
  }
  ONDOL_TRY(const Bound a, Bound::bind(name, args, {"value"}, 1));
  if (name == "append") {
    heap.charge_bytes(sizeof(Value) * 2);
    values.push_back(*a[0]);
    return Value::none();
  }
  if (name == "extend") {
    ONDOL_TRY(std::vector<Value> more, in.iterate(*a[0]));
    for (Value& value : more) values.push_back(std::move(value));
    return Value::none();
  }
  int64_t count = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    ONDOL_TRY(const bool same, equal(heap, values[i], *a[0]));
    if (same && name == "index") return Value::integer(static_cast<int64_t>(i));
    count += same ? 1 : 0;
  }
  if (name == "index") return failure("the value is not in the list");
  return Value::integer(count);
}

Result<Value> loop_method(Interpreter& in, Loop& loop, std::string_view name, const CallArgs& args) {
  if (name == "cycle") {
    if (args.positional.empty()) return failure("no items for cycling given");
    return args.positional[loop.index % args.positional.size()];
  }
  bool same = loop.changed_before && loop.last_changed.size() == args.positional.size();
  for (size_t i = 0; same && i < args.positional.size(); ++i) {
    ONDOL_TRY(same, equal(in.heap(), loop.last_changed[i], args.positional[i]));
  }
  loop.changed_before = true;
  loop.last_changed = args.positional;
  return Value::boolean(!same);
}

Result<Value> cycler_method(Callable& cycler, std::string_view name) {
  if (name == "reset") {
    cycler.position = 0;
    return Value::none();
  }
  const Value out = cycler.values[cycler.position];
  cycler.position = (cycler.position + 1) % cycler.values.size();
  return out;
}

bool is_cycler(const Value& self) {
  return self.is(Kind::kCallable) && self.callee().type == Callable::Type::kCycler;
}

}  // namespace

bool has_method(const Value& self, std::string_view name) {
  if (self.is(Kind::kString)) return has_string_method(name);
  if (self.is(Kind::kDict)) return among(kDictMethods, name);
  if (self.is(Kind::kList) && self.items().kind == ListKind::kList) return among(kListMethods, name);
  if (self.is(Kind::kList) && self.items().kind <= ListKind::kRange) return among(kTupleMethods, name);
  return is_cycler(self) && (name == "next" || name == "reset");
}

Result<Value> call_method(Interpreter& in, const Value& self, std::string_view name, const CallArgs& args) {
  if (self.is(Kind::kString)) return call_string_method(in, self.text(), name, args);
  if (self.is(Kind::kDict)) return dict_method(in, self, name, args);
  if (self.is(Kind::kList)) return list_method(in, self, name, args);
  if (self.is(Kind::kLoop)) return loop_method(in, self.loop_state(), name, args);
  if (is_cycler(self)) return cycler_method(self.callee(), name);
  return failure("'" + std::string(type_name(self)) + "' has no method '" + std::string(name) + "'");
}

}  // namespace ondol::chat::jinja
