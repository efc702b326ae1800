#include "core/chat/jinja/value.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace ondol::chat::jinja {
namespace {

constexpr size_t kIndexFrom = 12;  // entries; below it a scan is faster

// What makes two keys equal, as text.
std::string key_id(const Value& key) {
  switch (key.kind()) {
    case Kind::kString: return "s" + std::string(key.view());
    case Kind::kBool:
    case Kind::kInt: return "i" + std::to_string(key.as_int());
    case Kind::kBigInt: return "i" + std::string(key.view());
    case Kind::kFloat: {
      const double real = key.as_real();
      if (real == std::floor(real) && std::abs(real) < 9e18) {
        return "i" + std::to_string(static_cast<int64_t>(real));
      }
      char digits[40];
      std::snprintf(digits, sizeof digits, "f%.17g", real);
      return digits;
    }
    case Kind::kNone: return "n";
    default: return "u";
  }
}

}  // namespace

Value Value::none() {
  Value v;
  v.kind_ = Kind::kNone;
  return v;
}

Value Value::boolean(bool value) {
  Value v;
  v.kind_ = Kind::kBool;
  v.data_.integer = value ? 1 : 0;
  return v;
}

Value Value::integer(int64_t value, bool from_message) {
  Value v;
  v.kind_ = Kind::kInt;
  v.data_.integer = value;
  v.from_message_ = from_message;
  return v;
}

Value Value::big_integer(std::string_view digits, bool from_message) {
  Value v;
  v.kind_ = Kind::kBigInt;
  v.text_ = std::make_shared<const Text>(digits, from_message);
  v.from_message_ = from_message;
  return v;
}

Value Value::real(double value, bool from_message) {
  Value v;
  v.kind_ = Kind::kFloat;
  v.data_.real = value;
  v.from_message_ = from_message;
  return v;
}

Value Value::string(Text text) {
  Value v;
  v.kind_ = Kind::kString;
  v.text_ = std::make_shared<const Text>(std::move(text));
  return v;
}

Value Value::string(std::string_view bytes, bool from_message) { return string(Text(bytes, from_message)); }

Value Value::undefined(std::string_view hint) {
  Value v;
  v.text_ = std::make_shared<const Text>(hint, false);
  return v;
}

Value Value::list(List* list) {
  Value v;
  v.kind_ = Kind::kList;
  v.data_.list = list;
  return v;
}

Value Value::dict(Dict* dict) {
  Value v;
  v.kind_ = Kind::kDict;
  v.data_.dict = dict;
  return v;
}

Value Value::name_space(Dict* dict) {
  Value v = Value::dict(dict);
  v.kind_ = Kind::kNamespace;
  return v;
}

Value Value::callable(Callable* callable) {
  Value v;
  v.kind_ = Kind::kCallable;
  v.data_.callable = callable;
  return v;
}

Value Value::loop(Loop* loop) {
  Value v;
  v.kind_ = Kind::kLoop;
  v.data_.loop = loop;
  return v;
}

double Value::as_real() const {
  if (kind_ == Kind::kFloat) return data_.real;
  if (kind_ == Kind::kBigInt) return std::strtod(std::string(view()).c_str(), nullptr);
  return static_cast<double>(data_.integer);
}

const Text& Value::text() const {
  static const Text kEmpty;
  return text_ ? *text_ : kEmpty;
}

bool Value::same_object(const Value& other) const {
  if (kind_ != other.kind_) return false;
  switch (kind_) {
    case Kind::kUndefined:
    case Kind::kNone: return true;
    case Kind::kString:
    case Kind::kBigInt: return view() == other.view();
    case Kind::kFloat: return data_.real == other.data_.real;
    case Kind::kBool:
    case Kind::kInt: return data_.integer == other.data_.integer;
    case Kind::kList: return data_.list == other.data_.list;
    case Kind::kDict:
    case Kind::kNamespace: return data_.dict == other.data_.dict;
    case Kind::kCallable: return data_.callable == other.data_.callable;
    case Kind::kLoop: return data_.loop == other.data_.loop;
  }
  return false;
}

bool Dict::hashable(const Value& key) {
  return key.is_number() || key.is(Kind::kString) || key.is(Kind::kNone) || key.is(Kind::kUndefined);
}

const Value* Dict::find_id(const std::string& id) const {
  if (entries_.size() < kIndexFrom) {
    for (const Entry& entry : entries_) {
      if (entry.key_id == id) return &entry.value;
    }
    return nullptr;
  }
  const auto found = index_.find(id);
  return found == index_.end() ? nullptr : &entries_[found->second].value;
}

const Value* Dict::find(const Value& key) const { return hashable(key) ? find_id(key_id(key)) : nullptr; }

const Value* Dict::find(std::string_view key) const { return find_id("s" + std::string(key)); }

bool Dict::set(const Value& key, Value value) {
  if (!hashable(key)) return false;
  std::string id = key_id(key);
  if (const Value* old = find_id(id)) {
    *const_cast<Value*>(old) = std::move(value);
    return true;
  }
  entries_.push_back({id, key, std::move(value)});
  if (entries_.size() == kIndexFrom) {
    for (size_t i = 0; i < entries_.size(); ++i) index_.emplace(entries_[i].key_id, i);
  } else if (entries_.size() > kIndexFrom) {
    index_.emplace(std::move(id), entries_.size() - 1);
  }
  return true;
}

void Dict::set(std::string_view key, Value value, bool key_from_message) {
  set(Value::string(key, key_from_message), std::move(value));
}

const Value* Scope::find(std::string_view name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->parent) {
    for (const auto& [variable, value] : scope->variables) {
      if (variable == name) return &value;
    }
  }
  return nullptr;
}

void Scope::set(std::string_view name, Value value) {
  for (auto& [variable, old] : variables) {
    if (variable == name) {
      old = std::move(value);
      return;
    }
  }
  variables.emplace_back(std::string(name), std::move(value));
}

Value Heap::make_list(std::vector<Value> values, ListKind kind) {
  charge_steps(static_cast<int64_t>(values.size() / 4));
  charge_bytes(static_cast<int64_t>(64 + values.size() * sizeof(Value)));
  lists_.push_back({kind, std::move(values)});
  return Value::list(&lists_.back());
}

Value Heap::make_dict() {
  charge_bytes(256);
  return Value::dict(&dicts_.emplace_back());
}

Value Heap::make_namespace() {
  charge_bytes(256);
  return Value::name_space(&dicts_.emplace_back());
}

Value Heap::make_callable(Callable callable) {
  charge_bytes(256);
  callables_.push_back(std::move(callable));
  return Value::callable(&callables_.back());
}

Value Heap::make_loop(std::vector<Value> values) {
  charge_bytes(static_cast<int64_t>(256 + values.size() * sizeof(Value)));
  Loop& loop = loops_.emplace_back();
  loop.values = std::move(values);
  return Value::loop(&loop);
}

Scope* Heap::make_scope(Scope* parent) {
  charge_bytes(256);
  Scope& scope = scopes_.emplace_back();
  scope.parent = parent;
  return &scope;
}

Value Heap::make_string(Text text) {
  charge_steps(static_cast<int64_t>(text.size() / 256));
  charge_bytes(static_cast<int64_t>(64 + text.size() + text.runs().size() * sizeof(Text::Run)));
  return Value::string(std::move(text));
}

Result<void> Heap::check() const {
  if (steps_left_ < 0) {
    return Error{Code::kInvalidArgument, "too many steps (limit " + std::to_string(limits_.steps_max) + ")",
                 ""};
  }
  return admit(0);
}

Result<void> Heap::admit(int64_t bytes) const {
  if (bytes > limits_.output_bytes_max) {
    return Error{Code::kInvalidArgument, "a text over " + std::to_string(limits_.output_bytes_max) + " bytes",
                 ""};
  }
  if (bytes_left_ - bytes < 0) {
    return Error{Code::kInvalidArgument,
                 "more memory than " + std::to_string(limits_.heap_bytes_max) + " bytes", ""};
  }
  return {};
}

}  // namespace ondol::chat::jinja
