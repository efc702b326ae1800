// What can stand after `is`.
#include <algorithm>
#include <unordered_map>

#include "core/chat/jinja/comparing.h"
#include "core/chat/jinja/interpreter.h"
#include "core/chat/jinja/printing.h"
#include "core/chat/jinja/unicode.h"

namespace ondol::chat::jinja {
namespace {

using Plain = bool (*)(const Value&);

bool is_cased(std::string_view view, bool (*wanted)(uint32_t), bool (*other)(uint32_t)) {
  bool any = false;
  for (size_t at = 0; at < view.size(); at += char_bytes(view, at)) {
    if (other(decode_char(view, at))) return false;
    any |= wanted(decode_char(view, at));
  }
  return any;
}

bool is_iterable(const Value& value) {
  return value.is(Kind::kString) || value.is(Kind::kList) || value.is(Kind::kDict) ||
         value.is(Kind::kUndefined) || value.is(Kind::kLoop);
}

// Has a length and can be indexed.
bool is_sequence(const Value& value) {
  return value.is(Kind::kString) || value.is(Kind::kDict) || value.is(Kind::kUndefined) ||
         (value.is(Kind::kList) && value.items().kind <= ListKind::kRange);
}

const std::unordered_map<std::string_view, Plain>& plain_tests() {
  static const std::unordered_map<std::string_view, Plain> kTests = {
      {"defined", [](const Value& v) { return !v.is(Kind::kUndefined); }},
      {"undefined", [](const Value& v) { return v.is(Kind::kUndefined); }},
      {"none", [](const Value& v) { return v.is(Kind::kNone); }},
      {"boolean", [](const Value& v) { return v.is(Kind::kBool); }},
      {"true", [](const Value& v) { return v.is(Kind::kBool) && v.as_bool(); }},
      {"false", [](const Value& v) { return v.is(Kind::kBool) && !v.as_bool(); }},
      {"integer", [](const Value& v) { return v.is(Kind::kInt) || v.is(Kind::kBigInt); }},
      {"float", [](const Value& v) { return v.is(Kind::kFloat); }},
      {"number", [](const Value& v) { return v.is_number(); }},
      {"string", [](const Value& v) { return v.is(Kind::kString); }},
      {"mapping", [](const Value& v) { return v.is(Kind::kDict); }},
      {"sequence", is_sequence},
      {"iterable", is_iterable},
      {"callable",
       [](const Value& v) {
         if (v.is(Kind::kUndefined)) return true;  // as Jinja's own undefined
         return v.is(Kind::kCallable) && v.callee().type != Callable::Type::kCycler;
       }},
      {"escaped", [](const Value&) { return false; }},
  };
  return kTests;
}

// Tests that are a comparison, by name.
const std::unordered_map<std::string_view, std::string>& comparisons() {
  static const std::unordered_map<std::string_view, std::string> kOperators = {
      {"eq", "=="},      {"equalto", "=="}, {"==", "=="}, {"ne", "!="}, {"!=", "!="}, {"lt", "<"},
      {"lessthan", "<"}, {"<", "<"},        {"le", "<="}, {"<=", "<="}, {"gt", ">"},  {"greaterthan", ">"},
      {">", ">"},        {"ge", ">="},      {">=", ">="}, {"in", "in"},
  };
  return kOperators;
}

Result<int64_t> remainder(Heap& heap, const Value& value, const Value& divisor) {
  ONDOL_TRY(const Value rest, binary_operation(heap, "%", value, divisor));
  return rest.is(Kind::kFloat) ? (rest.as_real() == 0 ? 0 : rest.as_real() == 1 ? 1 : 2) : rest.as_int();
}

}  // namespace

bool has_test(std::string_view name) {
  return plain_tests().contains(name) || comparisons().contains(name) || name == "odd" || name == "even" ||
         name == "lower" || name == "upper" || name == "divisibleby" || name == "sameas" ||
         name == "filter" || name == "test";
}

Result<bool> Interpreter::test(std::string_view name, const Value& input, const CallArgs& args) {
  heap_.charge_steps(1);
  if (const auto plain = plain_tests().find(name); plain != plain_tests().end()) {
    ONDOL_RETURN_IF_ERROR(Bound::bind(name, args, {}));
    return plain->second(input);
  }
  if (const auto op = comparisons().find(name); op != comparisons().end()) {
    ONDOL_TRY(const Bound a, Bound::bind(name, args, {"other"}, 1));
    return compare(heap_, op->second, input, *a[0]);
  }
  if (name == "odd" || name == "even") {
    ONDOL_RETURN_IF_ERROR(Bound::bind(name, args, {}));
    if (input.is(Kind::kString)) return failure("a string is neither odd nor even");
    ONDOL_TRY(const int64_t rest, remainder(heap_, input, Value::integer(2)));
    return rest == (name == "odd" ? 1 : 0);
  }
  if (name == "lower" || name == "upper") {
    ONDOL_RETURN_IF_ERROR(Bound::bind(name, args, {}));
    ONDOL_TRY(const Text text, to_text(heap_, input));
    return name == "lower" ? is_cased(text.view(), is_lower, is_upper)
                           : is_cased(text.view(), is_upper, is_lower);
  }
  if (name == "divisibleby") {
    ONDOL_TRY(const Bound a, Bound::bind(name, args, {"num"}, 1));
    if (input.is(Kind::kString)) return failure("a string cannot be divided");
    ONDOL_TRY(const int64_t rest, remainder(heap_, input, *a[0]));
    return rest == 0;
  }
  if (name == "sameas") {
    ONDOL_TRY(const Bound a, Bound::bind(name, args, {"other"}, 1));
    return input.same_object(*a[0]);
  }
  if (name == "filter" || name == "test") {
    ONDOL_RETURN_IF_ERROR(Bound::bind(name, args, {}));
    if (!input.is(Kind::kString)) return false;
    return name == "filter" ? has_filter(input.view()) : has_test(input.view());
  }
  return failure("No test named '" + std::string(name) + "'.");
}

}  // namespace ondol::chat::jinja
