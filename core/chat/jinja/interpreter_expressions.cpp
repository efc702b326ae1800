#include <algorithm>

#include "core/chat/jinja/comparing.h"
#include "core/chat/jinja/frame.h"
#include "core/chat/jinja/interpreter.h"
#include "core/chat/jinja/printing.h"
#include "core/chat/jinja/unicode.h"

namespace ondol::chat::jinja {

Result<Value> Interpreter::eval(const Expr& expr, Scope& scope) {
  if (expr.kind == ExprKind::kLiteral) return expr.literal;
  const Frame frame(frame_depth_);
  heap_.charge_steps(1);
  if (frame_depth_ > heap_.limits().frame_depth_max) return failure("the template is nested too deeply");
  ONDOL_RETURN_IF_ERROR(heap_.check());
  Result<Value> value = eval_kind(expr, scope);
  if (!value) return at(std::move(value.error()), expr.at);
  return value;
}

Result<Value> Interpreter::eval_kind(const Expr& expr, Scope& scope) {
  switch (expr.kind) {
    case ExprKind::kLiteral: return expr.literal;
    case ExprKind::kName: return eval_name(expr, scope);
    case ExprKind::kList:
    case ExprKind::kTuple: return eval_list(expr, scope);
    case ExprKind::kDict: return eval_dict(expr, scope);
    case ExprKind::kNot: {
      ONDOL_TRY(const Value value, eval(*expr.children[0], scope));
      return Value::boolean(!truthy(value));
    }
    case ExprKind::kNegate:
    case ExprKind::kPlus: {
      ONDOL_TRY(const Value value, eval(*expr.children[0], scope));
      return negate(heap_, value, expr.kind == ExprKind::kNegate);
    }
    case ExprKind::kBinary: {
      ONDOL_TRY(const Value left, eval(*expr.children[0], scope));
      ONDOL_TRY(const Value right, eval(*expr.children[1], scope));
      if (expr.name == "%" && left.is(Kind::kString)) return printf_format(*this, left.text(), right);
      return binary_operation(heap_, expr.name, left, right);
    }
    case ExprKind::kConcat: return eval_concat(expr, scope);
    case ExprKind::kAnd:
    case ExprKind::kOr: {
      ONDOL_TRY(Value left, eval(*expr.children[0], scope));
      if (truthy(left) == (expr.kind == ExprKind::kOr)) return left;
      return eval(*expr.children[1], scope);
    }
    case ExprKind::kCompare: return eval_compare(expr, scope);
    case ExprKind::kConditional: return eval_conditional(expr, scope);
    case ExprKind::kAttribute: {
      ONDOL_TRY(const Value target, eval(*expr.children[0], scope));
      return attribute(target, expr.name);
    }
    case ExprKind::kItem: return eval_item(expr, scope);
    case ExprKind::kSlice: return failure("a slice outside of an index");
    case ExprKind::kCall: return eval_call(expr, scope, nullptr);
    case ExprKind::kFilter: return eval_filter(expr, scope, nullptr);
    case ExprKind::kTest: return eval_test(expr, scope);
  }
  return failure("an unknown expression");
}

Result<Value> Interpreter::eval_name(const Expr& expr, Scope& scope) {
  if (const Value* value = scope.find(expr.name)) return *value;
  if (has_global(expr.name)) {
    Callable callable;
    callable.name = expr.name;
    return heap_.make_callable(std::move(callable));
  }
  return Value::undefined("'" + expr.name + "' is undefined");
}

Result<Value> Interpreter::eval_list(const Expr& expr, Scope& scope) {
  std::vector<Value> values;
  for (const ExprPtr& child : expr.children) {
    ONDOL_TRY(Value value, eval(*child, scope));
    values.push_back(std::move(value));
  }
  return heap_.make_list(std::move(values),
                         expr.kind == ExprKind::kTuple ? ListKind::kTuple : ListKind::kList);
}

Result<Value> Interpreter::eval_dict(const Expr& expr, Scope& scope) {
  Value dict = heap_.make_dict();
  for (size_t i = 0; i + 1 < expr.children.size(); i += 2) {
    ONDOL_TRY(const Value key, eval(*expr.children[i], scope));
    ONDOL_TRY(Value value, eval(*expr.children[i + 1], scope));
    if (!dict.entries().set(key, std::move(value))) {
      return failure("unhashable type: '" + std::string(type_name(key)) + "'");
    }
    heap_.charge_bytes(128);
  }
  return dict;
}

Result<Value> Interpreter::eval_compare(const Expr& expr, Scope& scope) {
  ONDOL_TRY(Value left, eval(*expr.children[0], scope));
  for (size_t i = 0; i < expr.operators.size(); ++i) {
    ONDOL_TRY(Value right, eval(*expr.children[i + 1], scope));
    ONDOL_TRY(const bool holds, compare(heap_, expr.operators[i], left, right));
    if (!holds) return Value::boolean(false);
    left = std::move(right);
  }
  return Value::boolean(true);
}

Result<Value> Interpreter::eval_concat(const Expr& expr, Scope& scope) {
  Text out;
  for (const ExprPtr& child : expr.children) {
    ONDOL_TRY(Value value, eval(*child, scope));
    ONDOL_RETURN_IF_ERROR(print(std::move(value), out));
  }
  return heap_.make_string(std::move(out));
}

Result<Value> Interpreter::eval_conditional(const Expr& expr, Scope& scope) {
  ONDOL_TRY(const Value condition, eval(*expr.children[0], scope));
  if (truthy(condition)) return eval(*expr.children[1], scope);
  if (expr.children[2]) return eval(*expr.children[2], scope);
  return Value::undefined("the inline if-expression was false and has no else");
}

Result<Value> Interpreter::eval_item(const Expr& expr, Scope& scope) {
  ONDOL_TRY(const Value target, eval(*expr.children[0], scope));
  const Expr& index = *expr.children[1];
  if (index.kind == ExprKind::kSlice) return eval_slice(target, index, scope);
  ONDOL_TRY(const Value key, eval(index, scope));
  return item(target, key);
}

namespace {

// Python's slice.indices(): first index, step and how many.
struct SliceRange {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};

SliceRange slice_range(const Value& start, const Value& stop, int64_t step, int64_t length) {
  const auto clamp = [&](const Value& value, int64_t otherwise) {
    if (value.is(Kind::kNone)) return otherwise;
    int64_t at = value.as_int();
    if (at < 0) at = std::max<int64_t>(at + length, step < 0 ? -1 : 0);
    return std::min(at, step < 0 ? length - 1 : length);
  };
  SliceRange out;
  out.step = step;
  out.start = clamp(start, step < 0 ? length - 1 : 0);
  const int64_t end = clamp(stop, step < 0 ? -1 : length);
  if (step > 0 && end > out.start) out.count = (end - out.start - 1) / step + 1;
  if (step < 0 && end < out.start) out.count = (out.start - end - 1) / -step + 1;
  return out;
}

}  // namespace

Result<Value> Interpreter::eval_slice(const Value& target, const Expr& slice, Scope& scope) {
  Value parts[3] = {Value::none(), Value::none(), Value::none()};
  for (size_t i = 0; i < 3; ++i) {
    if (slice.children[i]) {
      ONDOL_TRY(parts[i], eval(*slice.children[i], scope));
    }
  }
  if (target.is(Kind::kUndefined)) return undefined_error(target);
  const bool sliceable =
      target.is(Kind::kString) || (target.is(Kind::kList) && target.items().kind <= ListKind::kRange);
  if (!sliceable) return failure("'" + std::string(type_name(target)) + "' object cannot be sliced");
  for (const Value& part : parts) {
    if (!part.is(Kind::kNone) && !part.is_integral())
      return failure("slice indices must be integers or None");
  }
  int64_t step = parts[2].is(Kind::kNone) ? 1 : parts[2].as_int();
  if (step == 0) return failure("slice step cannot be zero");
  step = std::clamp<int64_t>(step, -(int64_t{1} << 40), int64_t{1} << 40);
  if (target.is(Kind::kList)) {
    const std::vector<Value>& values = target.items().values;
    const SliceRange range = slice_range(parts[0], parts[1], step, static_cast<int64_t>(values.size()));
    std::vector<Value> out;
    for (int64_t i = 0; i < range.count; ++i)
      out.push_back(values[static_cast<size_t>(range.start + i * step)]);
    return heap_.make_list(std::move(out), target.items().kind);
  }
  const Text& text = target.text();
  std::vector<size_t> offsets;  // of every character, and the end
  for (size_t at = 0; at < text.size(); at += char_bytes(text.view(), at)) offsets.push_back(at);
  const auto length = static_cast<int64_t>(offsets.size());
  heap_.charge_steps(length / 64);
  offsets.push_back(text.size());
  const SliceRange range = slice_range(parts[0], parts[1], step, length);
  Text out;
  if (step == 1) {
    if (range.count > 0) {
      out.append(text, offsets[static_cast<size_t>(range.start)],
                 offsets[static_cast<size_t>(range.start + range.count)]);
    }
  } else {
    for (int64_t i = 0; i < range.count; ++i) {
      const auto at = static_cast<size_t>(range.start + i * step);
      out.append(text, offsets[at], offsets[at + 1]);
    }
  }
  return heap_.make_string(std::move(out));
}

Result<CallArgs> Interpreter::eval_arguments(const Expr& expr, Scope& scope) {
  CallArgs out;
  for (const Argument& argument : expr.arguments) {
    ONDOL_TRY(Value value, eval(*argument.value, scope));
    switch (argument.type) {
      case Argument::Type::kPositional: out.positional.push_back(std::move(value)); break;
      case Argument::Type::kNamed: out.named.push_back({argument.name, std::move(value)}); break;
      case Argument::Type::kStar: {
        ONDOL_TRY(std::vector<Value> values, iterate(value));
        for (Value& each : values) out.positional.push_back(std::move(each));
        break;
      }
      case Argument::Type::kDoubleStar:
        if (!value.is(Kind::kDict)) return failure("the argument after ** must be a mapping");
        for (const Dict::Entry& entry : value.entries().entries()) {
          if (!entry.key.is(Kind::kString)) return failure("keywords must be strings");
          out.named.push_back(
              {std::string(entry.key.view()), entry.value, entry.key.text().any_from_message()});
        }
        break;
    }
  }
  return out;
}

Result<Value> Interpreter::eval_call(const Expr& expr, Scope& scope, const Value* caller) {
  ONDOL_TRY(const Value callee, eval(*expr.children[0], scope));
  ONDOL_TRY(CallArgs args, eval_arguments(expr, scope));
  if (caller != nullptr) args.named.push_back({"caller", *caller});
  return call(callee, args);
}

// `input`: what goes into the innermost filter of a filter block.
Result<Value> Interpreter::eval_filter(const Expr& expr, Scope& scope, const Value* input) {
  Value value;
  if (!expr.children[0]) {
    if (input == nullptr) return failure("a filter without input");
    value = *input;
  } else if (input != nullptr && expr.children[0]->kind == ExprKind::kFilter) {
    ONDOL_TRY(value, eval_filter(*expr.children[0], scope, input));
  } else {
    ONDOL_TRY(value, eval(*expr.children[0], scope));
  }
  ONDOL_TRY(const CallArgs args, eval_arguments(expr, scope));
  Result<Value> result = filter(expr.name, value, args);
  if (!result) return at(std::move(result.error()), expr.at);
  return result;
}

Result<Value> Interpreter::eval_test(const Expr& expr, Scope& scope) {
  ONDOL_TRY(const Value value, eval(*expr.children[0], scope));
  ONDOL_TRY(const CallArgs args, eval_arguments(expr, scope));
  ONDOL_TRY(const bool holds, test(expr.name, value, args));
  return Value::boolean(holds);
}

}  // namespace ondol::chat::jinja
