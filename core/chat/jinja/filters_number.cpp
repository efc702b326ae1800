// Filters that make numbers.
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/chat/jinja/filters.h"
#include "core/chat/jinja/printing.h"
#include "core/chat/jinja/text_functions.h"

namespace ondol::chat::jinja {
namespace {

// Python's int(text, base) and float(text): surrounding space, a sign, single underscores between digits.
std::optional<std::string> clean_number(std::string_view text) {
  const Text stripped = strip(Text(text, false), Side::kBoth);
  std::string out;
  const std::string_view view = stripped.view();
  for (size_t i = 0; i < view.size(); ++i) {
    if (view[i] != '_') {
      out += view[i];
      continue;
    }
    const auto alnum = [&](size_t at) {
      return at < view.size() &&
             std::string_view("0123456789abcdefABCDEF").find(view[at]) != std::string_view::npos;
    };
    if (i == 0 || !alnum(i - 1) || !alnum(i + 1)) return std::nullopt;
  }
  if (out.starts_with('+')) out.erase(0, 1);
  if (out.empty() || out[0] == '+') return std::nullopt;
  return out;
}

std::optional<double> read_real(std::string_view text) {
  const std::optional<std::string> clean = clean_number(text);
  if (!clean || clean->find_first_of("xXpP(") != std::string::npos) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(clean->c_str(), &end);
  if (end == clean->c_str() || *end != '\0') return std::nullopt;
  return value;
}

std::optional<Value> read_integer(std::string_view text, int base, bool mark) {
  std::optional<std::string> clean = clean_number(text);
  if (!clean) return std::nullopt;
  const bool minus = clean->starts_with('-');
  std::string digits = clean->substr(minus ? 1 : 0);
  const char prefix = base == 16 ? 'x' : base == 8 ? 'o' : base == 2 ? 'b' : '\0';
  if (prefix != '\0' && digits.size() > 2 && digits[0] == '0' && (digits[1] | 0x20) == prefix)
    digits.erase(0, 2);
  if (digits.empty() || digits[0] == '-') return std::nullopt;
  int64_t value = 0;
  const std::string whole = (minus ? "-" : "") + digits;
  const auto done = std::from_chars(whole.data(), whole.data() + whole.size(), value, base);
  if (done.ptr != whole.data() + whole.size()) return std::nullopt;
  if (done.ec == std::errc()) return Value::integer(value, mark);
  if (base == 10) return Value::big_integer(whole, mark);
  return std::nullopt;
}

std::optional<Value> whole(double value, bool mark) {
  if (!(std::abs(value) < 9.2e18)) return std::nullopt;
  return Value::integer(static_cast<int64_t>(value), mark);
}

Result<Value> int_filter(Interpreter&, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("int", args, {"default", "base"}));
  ONDOL_TRY(const int64_t base, a.integer(1, 10));
  const Value otherwise = a.has(0) ? *a[0] : Value::integer(0);
  if (input.is(Kind::kUndefined)) return undefined_error(input);
  if (input.is_integral()) return Value::integer(input.as_int(), input.from_message());
  if (input.is(Kind::kBigInt)) return input;
  if (input.is(Kind::kFloat)) return whole(input.as_real(), input.from_message()).value_or(otherwise);
  if (!input.is(Kind::kString) || base < 2 || base > 36) return otherwise;
  const bool mark = input.text().any_from_message();
  if (const auto value = read_integer(input.view(), static_cast<int>(base), mark)) return *value;
  if (const auto real = read_real(input.view())) return whole(*real, mark).value_or(otherwise);
  return otherwise;
}

Result<Value> float_filter(Interpreter&, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("float", args, {"default"}));
  const Value otherwise = a.has(0) ? *a[0] : Value::real(0);
  if (input.is(Kind::kUndefined)) return undefined_error(input);
  if (input.is_number()) return Value::real(input.as_real(), input.from_message());
  if (!input.is(Kind::kString)) return otherwise;
  if (const auto real = read_real(input.view())) return Value::real(*real, input.text().any_from_message());
  return otherwise;
}

Result<Value> abs_filter(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_RETURN_IF_ERROR(Bound::bind("abs", args, {}));
  if (input.is(Kind::kUndefined)) return undefined_error(input);
  if (input.is(Kind::kFloat)) return Value::real(std::abs(input.as_real()), input.from_message());
  if (input.is_integral())
    return negate(in.heap(), Value::integer(input.as_int(), input.from_message()), input.as_int() < 0);
  return failure("bad operand type for abs(): '" + std::string(type_name(input)) + "'");
}

// To `digits` after the point, half to even on the exact value, as Python's round().
double round_to(double value, int64_t digits) {
  if (!std::isfinite(value) || digits > 300) return value;
  if (digits >= 0) {
    char buffer[800];
    std::snprintf(buffer, sizeof buffer, "%.*f", static_cast<int>(digits), value);
    return std::strtod(buffer, nullptr);
  }
  if (digits < -300) return std::copysign(0.0, value);
  const double unit = std::pow(10.0, static_cast<double>(-digits));
  return std::nearbyint(value / unit) * unit;
}

Result<Value> round_filter(Interpreter&, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("round", args, {"precision", "method"}));
  ONDOL_TRY(const int64_t digits, a.integer(0, 0));
  const std::string_view method = a.has(1) && a[1]->is(Kind::kString) ? a[1]->view() : "common";
  if (input.is(Kind::kUndefined)) return undefined_error(input);
  if (method != "common" && method != "ceil" && method != "floor") {
    return failure("method must be common, ceil or floor");
  }
  if (!input.is_number()) return failure("type " + std::string(type_name(input)) + " cannot be rounded");
  const bool mark = input.from_message();
  if (method == "common") {
    if (!input.is(Kind::kFloat)) {
      if (digits >= 0 || input.is(Kind::kBigInt))
        return input.is(Kind::kBool) ? Value::integer(input.as_int()) : input;
      if (digits < -18) return Value::integer(0, mark);
      int64_t unit = 1;
      for (int64_t i = digits; i < 0; ++i) unit *= 10;
      const int64_t value = input.as_int();
      int64_t quotient = value / unit;
      const int64_t rest = value % unit < 0 ? -(value % unit) : value % unit;
      if (rest > unit - rest || (rest == unit - rest && quotient % 2 != 0)) quotient += value < 0 ? -1 : 1;
      int64_t out = 0;
      if (__builtin_mul_overflow(quotient, unit, &out)) return failure("an integer is too large");
      return Value::integer(out, mark);
    }
    return Value::real(round_to(input.as_real(), digits), mark);
  }
  if (digits > 300 || digits < -300) return failure("the precision is out of range");
  const double unit = std::pow(10.0, static_cast<double>(digits));
  const double scaled = input.as_real() * unit;
  return Value::real((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / unit, mark);
}

constexpr FilterEntry kFilters[] = {
    {"int", int_filter},
    {"float", float_filter},
    {"abs", abs_filter},
    {"round", round_filter},
};

}  // namespace

std::span<const FilterEntry> number_filters() { return kFilters; }

}  // namespace ondol::chat::jinja
