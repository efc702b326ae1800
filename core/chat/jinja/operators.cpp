// Arithmetic with Python's meaning: true division, floor division and modulo, repetition, joining.
// Integers are 64 bits wide; what does not fit is an error, never a wrapped number.
#include <cmath>

#include "core/chat/jinja/interpreter.h"
#include "core/chat/jinja/printing.h"

namespace ondol::chat::jinja {
namespace {

Error overflow() { return failure("an integer is too large"); }

Error unsupported(std::string_view op, const Value& a, const Value& b) {
  for (const Value* side : {&a, &b}) {
    if (side->is(Kind::kUndefined)) return undefined_error(*side);
  }
  if (op == "+" && a.is(Kind::kString)) {
    return failure("can only concatenate str (not \"" + std::string(type_name(b)) + "\") to str");
  }
  return failure("unsupported operand type(s) for " + std::string(op) + ": '" + std::string(type_name(a)) +
                 "' and '" + std::string(type_name(b)) + "'");
}

int64_t floor_modulo(int64_t a, int64_t b) {
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Result<Value> power(int64_t base, int64_t exponent, bool mark) {
  if (exponent < 0) {
    if (base == 0) return failure("0.0 cannot be raised to a negative power");
    return Value::real(std::pow(static_cast<double>(base), static_cast<double>(exponent)), mark);
  }
  if (base == 0 || base == 1) return Value::integer(exponent == 0 ? 1 : base, mark);
  if (base == -1) return Value::integer(exponent % 2 == 0 ? 1 : -1, mark);
  int64_t out = 1;
  for (; exponent > 0; --exponent) {  // at most 63 rounds before it overflows
    if (__builtin_mul_overflow(out, base, &out)) return overflow();
  }
  return Value::integer(out, mark);
}

Result<Value> integers(std::string_view op, int64_t a, int64_t b, bool mark) {
  int64_t out = 0;
  if (op == "+")
    return __builtin_add_overflow(a, b, &out) ? Result<Value>(overflow()) : Value::integer(out, mark);
  if (op == "-")
    return __builtin_sub_overflow(a, b, &out) ? Result<Value>(overflow()) : Value::integer(out, mark);
  if (op == "*")
    return __builtin_mul_overflow(a, b, &out) ? Result<Value>(overflow()) : Value::integer(out, mark);
  if (op == "**") return power(a, b, mark);
  if (b == 0) return failure("division by zero");
  if (op == "/") return Value::real(static_cast<double>(a) / static_cast<double>(b), mark);
  if (b == -1) {
    if (op == "%") return Value::integer(0, mark);
    return __builtin_sub_overflow(int64_t{0}, a, &out) ? Result<Value>(overflow())
                                                       : Value::integer(out, mark);
  }
  const int64_t rest = floor_modulo(a, b);
  if (op == "%") return Value::integer(rest, mark);
  const int64_t quotient = a / b;
  return Value::integer(a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient, mark);
}

Result<Value> reals(std::string_view op, double a, double b, bool mark) {
  if (op == "+") return Value::real(a + b, mark);
  if (op == "-") return Value::real(a - b, mark);
  if (op == "*") return Value::real(a * b, mark);
  if (op == "**") {
    if (a == 0 && b < 0) return failure("0.0 cannot be raised to a negative power");
    const double out = std::pow(a, b);
    if (std::isnan(out) && !std::isnan(a) && !std::isnan(b))
      return failure("complex numbers are not supported");
    if (std::isinf(out) && !std::isinf(a) && !std::isinf(b)) return failure("a number is too large");
    return Value::real(out, mark);
  }
  if (b == 0) return failure("division by zero");
  if (op == "/") return Value::real(a / b, mark);
  double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  if (rest == 0) rest = std::copysign(0.0, b);
  if (op == "%") return Value::real(rest, mark);
  // As CPython: the quotient that goes with the remainder, to the nearest whole number.
  const double quotient = (a - rest) / b;
  double whole = std::floor(quotient);
  if (quotient - whole > 0.5) whole += 1.0;
  if (quotient == 0) whole = std::copysign(0.0, a / b);
  return Value::real(whole, mark);
}

Result<Value> repeat(Heap& heap, const Value& sequence, int64_t count) {
  count = std::max<int64_t>(count, 0);
  if (sequence.is(Kind::kString)) {
    const Text& text = sequence.text();
    const auto bytes = static_cast<int64_t>(text.size());
    if (bytes > 0 && count > heap.limits().output_bytes_max / bytes) {
      return heap.admit(heap.limits().output_bytes_max + 1).error();
    }
    heap.charge_steps(count * static_cast<int64_t>(text.runs().size()));
    ONDOL_RETURN_IF_ERROR(heap.check());
    Text out;
    for (int64_t i = 0; i < count && bytes > 0; ++i) out.append(text);
    return heap.make_string(std::move(out));
  }
  const List& list = sequence.items();
  const auto length = static_cast<int64_t>(list.values.size());
  if (length > 0 && count > kRangeItemsMax * 10 / length) return failure("a repeated list is too long");
  std::vector<Value> out;
  for (int64_t i = 0; i < count && length > 0; ++i)
    out.insert(out.end(), list.values.begin(), list.values.end());
  return heap.make_list(std::move(out), list.kind);
}

bool plain_sequence(const Value& value) {
  return value.is(Kind::kList) &&
         (value.items().kind == ListKind::kList || value.items().kind == ListKind::kTuple);
}

}  // namespace

Result<Value> binary_operation(Heap& heap, std::string_view op, const Value& a, const Value& b) {
  const bool mark = a.from_message() || b.from_message();
  if (a.is_integral() && b.is_integral()) return integers(op, a.as_int(), b.as_int(), mark);
  if (a.is_number() && b.is_number()) return reals(op, a.as_real(), b.as_real(), mark);
  if (op == "+") {
    if (a.is(Kind::kString) && b.is(Kind::kString)) {
      ONDOL_RETURN_IF_ERROR(heap.admit(static_cast<int64_t>(a.text().size() + b.text().size())));
      Text out = a.text();
      out.append(b.text());
      return heap.make_string(std::move(out));
    }
    if (plain_sequence(a) && plain_sequence(b) && a.items().kind == b.items().kind) {
      std::vector<Value> out = a.items().values;
      out.insert(out.end(), b.items().values.begin(), b.items().values.end());
      return heap.make_list(std::move(out), a.items().kind);
    }
  }
  if (op == "*") {
    const bool left = a.is(Kind::kString) || plain_sequence(a);
    const bool right = b.is(Kind::kString) || plain_sequence(b);
    if (left && b.is_integral()) return repeat(heap, a, b.as_int());
    if (right && a.is_integral()) return repeat(heap, b, a.as_int());
  }
  return unsupported(op, a, b);
}

Result<Value> negate(Heap&, const Value& value, bool minus) {
  if (value.is(Kind::kUndefined)) return undefined_error(value);
  if (value.is(Kind::kFloat)) {
    return minus ? Value::real(-value.as_real(), value.from_message()) : value;
  }
  if (value.is_integral()) {
    int64_t out = value.as_int();
    if (minus && __builtin_sub_overflow(int64_t{0}, value.as_int(), &out)) return overflow();
    return Value::integer(out, value.from_message());
  }
  return failure("bad operand type for unary " + std::string(minus ? "-" : "+") + ": '" +
                 std::string(type_name(value)) + "'");
}

}  // namespace ondol::chat::jinja
