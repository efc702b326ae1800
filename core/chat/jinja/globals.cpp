// The functions every template can call: Jinja's own, and the two that Hugging Face adds
// (raise_exception, strftime_now).
#include <algorithm>
#include <cmath>
#include <ctime>

#include "core/chat/jinja/interpreter.h"
#include "core/chat/jinja/printing.h"

namespace ondol::chat::jinja {
namespace {

constexpr std::string_view kGlobals[] = {"range",  "namespace", "dict",        "raise_exception",
                                         "cycler", "joiner",    "strftime_now"};
constexpr size_t kTimeBytesMax = 1024;

Result<Value> range(Interpreter& in, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("range", args, {"start", "stop", "step"}, 1));
  ONDOL_TRY(int64_t start, a.integer(0, 0));
  ONDOL_TRY(int64_t stop, a.integer(1, 0));
  ONDOL_TRY(const int64_t step, a.integer(2, 1));
  if (!a.has(1)) stop = std::exchange(start, 0);
  if (step == 0) return failure("range() arg 3 must not be zero");
  const double items =
      std::ceil((static_cast<double>(stop) - static_cast<double>(start)) / static_cast<double>(step));
  if (items > kRangeItemsMax)
    return failure("a range has more than " + std::to_string(kRangeItemsMax) + " items");
  std::vector<Value> values;
  for (double i = 0; i < items; ++i) {
    values.push_back(Value::integer(start));
    if (__builtin_add_overflow(start, step, &start)) break;
  }
  return in.heap().make_list(std::move(values), ListKind::kRange);
}

Result<Value> make_mapping(Interpreter& in, std::string_view name, const CallArgs& args) {
  const Value out = name == "namespace" ? in.heap().make_namespace() : in.heap().make_dict();
  if (args.positional.size() > 1)
    return failure(std::string(name) + "() takes at most 1 positional argument");
  for (const Value& source : args.positional) {
    if (source.is(Kind::kDict)) {
      for (const Dict::Entry& entry : source.entries().entries()) out.entries().set(entry.key, entry.value);
      continue;
    }
    ONDOL_TRY(const std::vector<Value> pairs, in.iterate(source));
    for (const Value& each : pairs) {
      ONDOL_TRY(const std::vector<Value> pair, in.iterate(each));
      if (pair.size() != 2 || !out.entries().set(pair[0], pair[1])) {
        return failure(std::string(name) + "() needs pairs of key and value");
      }
    }
  }
  for (const auto& [key, value, mark] : args.named) out.entries().set(key, value, mark);
  in.heap().charge_bytes(static_cast<int64_t>(out.entries().size() * 128));
  return out;
}

Result<Value> strftime_now(Interpreter& in, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("strftime_now", args, {"format"}, 1));
  if (!a[0]->is(Kind::kString)) return failure("strftime_now() needs a format string");
  const std::string format(a[0]->view());
  if (format.size() > kTimeBytesMax / 4) return failure("the format of strftime_now() is too long");
  const auto now = static_cast<std::time_t>(in.clock().unix_s());
  std::tm local = {};
  if (localtime_r(&now, &local) == nullptr) return failure("the clock is out of range");
  char buffer[kTimeBytesMax];
  const size_t bytes = std::strftime(buffer, sizeof buffer, format.c_str(), &local);
  return in.heap().make_string(Text(std::string_view(buffer, bytes), a[0]->text().any_from_message()));
}

}  // namespace

bool has_global(std::string_view name) {
  return std::find(std::begin(kGlobals), std::end(kGlobals), name) != std::end(kGlobals);
}

Result<Value> call_global(Interpreter& in, std::string_view name, const CallArgs& args) {
  if (name == "range") return range(in, args);
  if (name == "namespace" || name == "dict") return make_mapping(in, name, args);
  if (name == "strftime_now") return strftime_now(in, args);
  if (name == "raise_exception") {
    ONDOL_TRY(const Bound a, Bound::bind(name, args, {"message"}, 1));
    ONDOL_TRY(const Value text, in.make_text(*a[0]));
    return in.refuse(std::string(text.view()));
  }
  Callable callable;
  callable.name = name;
  if (name == "cycler") {
    if (args.positional.empty() || !args.named.empty())
      return failure("at least one item has to be provided");
    callable.type = Callable::Type::kCycler;
    callable.values = args.positional;
  } else {
    ONDOL_TRY(const Bound a, Bound::bind(name, args, {"sep"}));
    callable.type = Callable::Type::kJoiner;
    callable.values.push_back(a.has(0) ? *a[0] : Value::string(", "));
  }
  return in.heap().make_callable(std::move(callable));
}

}  // namespace ondol::chat::jinja
