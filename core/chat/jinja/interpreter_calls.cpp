#include <algorithm>
#include <charconv>

#include "core/chat/jinja/frame.h"
#include "core/chat/jinja/interpreter.h"
#include "core/chat/jinja/printing.h"
#include "core/chat/jinja/unicode.h"

namespace ondol::chat::jinja {

Result<Bound> Bound::bind(std::string_view function, const CallArgs& args,
                          std::initializer_list<std::string_view> names, size_t required) {
  Bound bound;
  bound.values_.assign(names.size(), nullptr);
  if (args.positional.size() > names.size()) {
    return failure(std::string(function) + "() takes at most " + std::to_string(names.size()) + " arguments");
  }
  for (size_t i = 0; i < args.positional.size(); ++i) bound.values_[i] = &args.positional[i];
  for (const auto& [name, value, mark] : args.named) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return failure(std::string(function) + "() has no argument '" + name + "'");
    const auto index = static_cast<size_t>(found - names.begin());
    if (bound.values_[index] != nullptr) {
      return failure(std::string(function) + "() got '" + name + "' more than once");
    }
    bound.values_[index] = &value;
  }
  for (size_t i = 0; i < required; ++i) {
    if (bound.values_[i] == nullptr) {
      return failure(std::string(function) + "() needs the argument '" + std::string(names.begin()[i]) + "'");
    }
  }
  return bound;
}

bool Bound::given(size_t index) const { return has(index) && !values_[index]->is(Kind::kNone); }

bool Bound::truthy(size_t index, bool otherwise) const {
  return has(index) ? jinja::truthy(*values_[index]) : otherwise;
}

Result<int64_t> Bound::integer(size_t index, int64_t otherwise) const {
  if (!given(index)) return otherwise;
  if (values_[index]->is_integral()) return values_[index]->as_int();
  if (values_[index]->is(Kind::kUndefined)) return undefined_error(*values_[index]);
  return failure("expected an integer, not '" + std::string(type_name(*values_[index])) + "'");
}

Result<std::vector<Value>> Interpreter::iterate(const Value& value) {
  std::vector<Value> out;
  switch (value.kind()) {
    case Kind::kUndefined: return out;
    case Kind::kString: {
      const Text& text = value.text();
      for (size_t at = 0; at < text.size();) {
        const size_t bytes = char_bytes(text.view(), at);
        out.push_back(heap_.make_string(text.slice(at, at + bytes)));
        at += bytes;
        ONDOL_RETURN_IF_ERROR(heap_.check());
      }
      break;
    }
    case Kind::kDict:
      for (const Dict::Entry& entry : value.entries().entries()) out.push_back(entry.key);
      break;
    case Kind::kList:
      if (value.items().kind == ListKind::kGenerator) {
        out.swap(value.items().values);
      } else {
        out = value.items().values;
      }
      break;
    default: return failure("'" + std::string(type_name(value)) + "' object is not iterable");
  }
  heap_.charge_steps(static_cast<int64_t>(out.size()));
  heap_.charge_bytes(static_cast<int64_t>(out.size() * sizeof(Value)));
  ONDOL_RETURN_IF_ERROR(heap_.check());
  return out;
}

Result<Value> Interpreter::make_text(const Value& value) {
  if (value.is(Kind::kString)) return value;
  ONDOL_TRY(Text text, to_text(heap_, value));
  return heap_.make_string(std::move(text));
}

namespace {

Value loop_attribute(Heap& heap, const Value& self, std::string_view name) {
  const Loop& loop = self.loop_state();
  const auto count = static_cast<int64_t>(loop.values.size());
  const auto index = static_cast<int64_t>(loop.index);
  if (name == "index") return Value::integer(index + 1);
  if (name == "index0") return Value::integer(index);
  if (name == "revindex") return Value::integer(count - index);
  if (name == "revindex0") return Value::integer(count - index - 1);
  if (name == "first") return Value::boolean(index == 0);
  if (name == "last") return Value::boolean(index + 1 == count);
  if (name == "length") return Value::integer(count);
  if (name == "depth") return Value::integer(1);  // more in recursive loops only
  if (name == "depth0") return Value::integer(0);
  if (name == "previtem") {
    return index > 0 ? loop.values[loop.index - 1] : Value::undefined("there is no previous item");
  }
  if (name == "nextitem") {
    return index + 1 < count ? loop.values[loop.index + 1] : Value::undefined("there is no next item");
  }
  if (name == "cycle" || name == "changed") {
    Callable callable;
    callable.type = Callable::Type::kMethod;
    callable.name = name;
    callable.self = self;
    return heap.make_callable(std::move(callable));
  }
  return Value::undefined("the loop has no attribute '" + std::string(name) + "'");
}

Value no_attribute(const Value& target, std::string_view name) {
  const std::string what =
      target.is(Kind::kNone) ? "'None'" : "'" + std::string(type_name(target)) + " object'";
  return Value::undefined(what + " has no attribute '" + std::string(name) + "'");
}

}  // namespace

Result<Value> Interpreter::attribute(const Value& target, std::string_view name) {
  if (target.is(Kind::kUndefined)) return undefined_error(target);
  if (target.is(Kind::kLoop)) return loop_attribute(heap_, target, name);
  if (has_method(target, name)) {
    Callable callable;
    callable.type = Callable::Type::kMethod;
    callable.name = name;
    callable.self = target;
    return heap_.make_callable(std::move(callable));
  }
  if (target.is(Kind::kDict) || target.is(Kind::kNamespace)) {
    if (const Value* value = target.entries().find(name)) return *value;
  }
  if (target.is(Kind::kCallable)) {
    const Callable& callee = target.callee();
    if (callee.type == Callable::Type::kCycler && name == "current") return callee.values[callee.position];
    if (callee.type == Callable::Type::kMacro && name == "name") return Value::string(callee.name);
  }
  return no_attribute(target, name);
}

Result<Value> Interpreter::item(const Value& target, const Value& key) {
  if (target.is(Kind::kUndefined)) return undefined_error(target);
  if (target.is(Kind::kDict)) {
    if (const Value* value = target.entries().find(key)) return *value;
  }
  if (key.is_integral()) {
    int64_t index = key.as_int();
    if (target.is(Kind::kString)) {
      const std::string_view text = target.view();
      heap_.charge_steps(static_cast<int64_t>(text.size() / 256));
      if (index < 0) index += static_cast<int64_t>(char_count(text));
      if (index >= 0 && index < static_cast<int64_t>(text.size())) {
        const size_t at = char_offset(text, static_cast<size_t>(index));
        if (at < text.size()) return heap_.make_string(target.text().slice(at, at + char_bytes(text, at)));
      }
    } else if (target.is(Kind::kList) && target.items().kind <= ListKind::kRange) {
      const std::vector<Value>& values = target.items().values;
      if (index < 0) index += static_cast<int64_t>(values.size());
      if (index >= 0 && index < static_cast<int64_t>(values.size()))
        return values[static_cast<size_t>(index)];
    }
    return Value::undefined("a " + std::string(type_name(target)) + " has no element " +
                            std::to_string(key.as_int()));
  }
  if (key.is(Kind::kString)) return attribute(target, key.view());
  return Value::undefined("a " + std::string(type_name(target)) + " has no such element");
}

Result<Value> Interpreter::attribute_path(const Value& target, const Value& path) {
  if (!path.is(Kind::kString)) return item(target, path);
  Value value = target;
  std::string_view rest = path.view();
  while (true) {
    const size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    int64_t index = 0;
    const auto number = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool is_index =
        number.ec == std::errc() && number.ptr == part.data() + part.size() && part[0] != '-';
    ONDOL_TRY(value, item(value, is_index ? Value::integer(index) : Value::string(part)));
    if (dot == std::string_view::npos) return value;
    rest.remove_prefix(dot + 1);
  }
}

Result<Value> Interpreter::call(const Value& callee, const CallArgs& args) {
  if (callee.is(Kind::kUndefined)) return undefined_error(callee);
  if (!callee.is(Kind::kCallable)) {
    return failure("'" + std::string(type_name(callee)) + "' object is not callable");
  }
  heap_.charge_steps(1);
  Callable& target = callee.callee();
  switch (target.type) {
    case Callable::Type::kGlobal: return call_global(*this, target.name, args);
    case Callable::Type::kMethod: return call_method(*this, target.self, target.name, args);
    case Callable::Type::kMacro: return call_macro(target, args);
    case Callable::Type::kCycler: return failure("a cycler is not callable; use next()");
    case Callable::Type::kJoiner: {
      if (!args.positional.empty() || !args.named.empty()) return failure("a joiner takes no arguments");
      return target.position++ == 0 ? Value::string("") : target.values.at(0);
    }
  }
  return failure("this cannot be called");
}

Result<Value> Interpreter::call_macro(const Callable& callee, const CallArgs& args) {
  const Frame frame(call_depth_);
  if (call_depth_ > heap_.limits().call_depth_max) return failure("macros call each other too deeply");
  const Macro& macro = *callee.macro;
  Scope* scope = heap_.make_scope(callee.closure);
  std::vector<const Value*> values(macro.parameters.size(), nullptr);
  std::vector<Value> extra(
      args.positional.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), args.positional.size())),
      args.positional.end());
  for (size_t i = 0; i < values.size() && i < args.positional.size(); ++i) values[i] = &args.positional[i];
  if (!extra.empty() && !macro.uses_varargs) {
    return failure("macro '" + macro.name + "' takes not more than " + std::to_string(values.size()) +
                   " argument(s)");
  }
  const Value extra_named = heap_.make_dict();
  Value caller = Value::undefined("No caller defined");
  for (const auto& [name, value, mark] : args.named) {
    const auto parameter = std::find_if(macro.parameters.begin(), macro.parameters.end(),
                                        [&name = name](const Parameter& p) { return p.name == name; });
    if (parameter != macro.parameters.end()) {
      const Value*& slot = values[static_cast<size_t>(parameter - macro.parameters.begin())];
      if (slot != nullptr) return failure("macro '" + macro.name + "' got '" + name + "' more than once");
      slot = &value;
    } else if (name == "caller" && macro.uses_caller) {
      caller = value;
    } else if (macro.uses_kwargs) {
      extra_named.entries().set(name, value, mark);
    } else {
      return failure("macro '" + macro.name + "' takes no keyword argument '" + name + "'");
    }
  }
  if (macro.uses_caller) scope->set("caller", caller);
  if (macro.uses_varargs) scope->set("varargs", heap_.make_list(std::move(extra), ListKind::kTuple));
  if (macro.uses_kwargs) scope->set("kwargs", extra_named);
  for (size_t i = 0; i < values.size(); ++i) {
    const Parameter& parameter = macro.parameters[i];
    if (values[i] != nullptr) {
      scope->set(parameter.name, *values[i]);
    } else if (parameter.otherwise) {
      ONDOL_TRY(Value value, eval(*parameter.otherwise, *scope));
      scope->set(parameter.name, std::move(value));
    } else {
      scope->set(parameter.name, Value::undefined("parameter '" + parameter.name + "' was not provided"));
    }
  }
  Text out;
  ONDOL_TRY([[maybe_unused]] const Flow flow, run_block(macro.body, *scope, out));
  return heap_.make_string(std::move(out));
}

}  // namespace ondol::chat::jinja
