#include "core/chat/jinja/comparing.h"

#include <compare>

#include "core/chat/jinja/printing.h"

namespace ondol::chat::jinja {
namespace {

Error too_deep() { return {Code::kInvalidArgument, "a value is nested too deeply to compare", ""}; }

Error no_order(const Value& a, const Value& b) {
  return {Code::kInvalidArgument,
          "'<' not supported between instances of '" + std::string(type_name(a)) + "' and '" +
              std::string(type_name(b)) + "'",
          ""};
}

std::partial_ordering order_numbers(const Value& a, const Value& b) {
  if (a.is_integral() && b.is_integral()) return a.as_int() <=> b.as_int();
  return a.as_real() <=> b.as_real();
}

Result<bool> equal_at(Heap& heap, const Value& a, const Value& b, int depth) {
  if (depth > kJsonDepthMax) return too_deep();
  heap.charge_steps(1);
  ONDOL_RETURN_IF_ERROR(heap.check());
  if (a.is(Kind::kBigInt) && b.is(Kind::kBigInt)) return a.view() == b.view();
  if (a.is_number() && b.is_number()) return order_numbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  if (a.is(Kind::kList)) {
    const List& x = a.items();
    const List& y = b.items();
    if (&x == &y) return true;
    if (x.kind != y.kind || x.kind == ListKind::kGenerator || x.values.size() != y.values.size())
      return false;
    for (size_t i = 0; i < x.values.size(); ++i) {
      ONDOL_TRY(const bool same, equal_at(heap, x.values[i], y.values[i], depth + 1));
      if (!same) return false;
    }
    return true;
  }
  if (a.is(Kind::kDict)) {
    const Dict& x = a.entries();
    const Dict& y = b.entries();
    if (&x == &y) return true;
    if (x.size() != y.size()) return false;
    for (const Dict::Entry& entry : x.entries()) {
      const Value* other = y.find(entry.key);
      if (other == nullptr) return false;
      ONDOL_TRY(const bool same, equal_at(heap, entry.value, *other, depth + 1));
      if (!same) return false;
    }
    return true;
  }
  if (a.is(Kind::kString)) heap.charge_steps(static_cast<int64_t>(a.text().size() / 256));
  return a.same_object(b);
}

Result<bool> less_at(Heap& heap, const Value& a, const Value& b, int depth) {
  if (depth > kJsonDepthMax) return too_deep();
  heap.charge_steps(1);
  ONDOL_RETURN_IF_ERROR(heap.check());
  if (a.is_number() && b.is_number()) return order_numbers(a, b) < 0;
  if (a.is(Kind::kString) && b.is(Kind::kString)) {
    heap.charge_steps(static_cast<int64_t>(a.text().size() / 256));
    return a.view() < b.view();  // byte order of UTF-8 is the order of code points
  }
  const auto ordered = [](ListKind kind) { return kind == ListKind::kList || kind == ListKind::kTuple; };
  if (a.is(Kind::kList) && b.is(Kind::kList) && ordered(a.items().kind) && a.items().kind == b.items().kind) {
    const auto& x = a.items().values;
    const auto& y = b.items().values;
    for (size_t i = 0; i < x.size() && i < y.size(); ++i) {
      ONDOL_TRY(const bool same, equal_at(heap, x[i], y[i], depth + 1));
      if (!same) return less_at(heap, x[i], y[i], depth + 1);
    }
    return x.size() < y.size();
  }
  for (const Value* side : {&a, &b}) {
    if (side->is(Kind::kUndefined)) return Error{Code::kInvalidArgument, std::string(side->view()), ""};
  }
  return no_order(a, b);
}

}  // namespace

Result<bool> equal(Heap& heap, const Value& a, const Value& b) { return equal_at(heap, a, b, 0); }

Result<bool> less(Heap& heap, const Value& a, const Value& b) { return less_at(heap, a, b, 0); }

Result<bool> contains(Heap& heap, const Value& haystack, const Value& needle) {
  switch (haystack.kind()) {
    case Kind::kUndefined: return false;
    case Kind::kString:
      if (!needle.is(Kind::kString)) {
        return Error{Code::kInvalidArgument,
                     "'in <string>' requires string as left operand, not " + std::string(type_name(needle)),
                     ""};
      }
      heap.charge_steps(static_cast<int64_t>(haystack.text().size() / 64));
      return haystack.view().find(needle.view()) != std::string_view::npos;
    case Kind::kDict:
      if (!Dict::hashable(needle)) {
        return Error{Code::kInvalidArgument, "unhashable type: '" + std::string(type_name(needle)) + "'", ""};
      }
      return haystack.entries().find(needle) != nullptr;
    case Kind::kList: {
      std::vector<Value> used;
      List& list = haystack.items();
      if (list.kind == ListKind::kGenerator) used.swap(list.values);
      for (const Value& each : list.kind == ListKind::kGenerator ? used : list.values) {
        ONDOL_TRY(const bool same, equal(heap, each, needle));
        if (same) return true;
      }
      return false;
    }
    default:
      return Error{Code::kInvalidArgument,
                   "argument of type '" + std::string(type_name(haystack)) + "' is not iterable", ""};
  }
}

Result<bool> compare(Heap& heap, const std::string& op, const Value& a, const Value& b) {
  if (op == "==") return equal(heap, a, b);
  if (op == "<") return less(heap, a, b);
  if (op == ">") return less(heap, b, a);
  if (op == "in") return contains(heap, b, a);
  if (op == "!=" || op == "not in") {
    ONDOL_TRY(const bool yes, op == "!=" ? equal(heap, a, b) : contains(heap, b, a));
    return !yes;
  }
  // <= and >=: with not-a-number both "less" and "equal" are false.
  const Value& low = op == "<=" ? a : b;
  const Value& high = op == "<=" ? b : a;
  ONDOL_TRY(const bool below, less(heap, low, high));
  if (below) return true;
  return equal(heap, low, high);
}

}  // namespace ondol::chat::jinja
