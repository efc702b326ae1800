// Filters that apply a filter, a test or an attribute to every item. Their result is a generator, as in
// Jinja: always true, without a length, and used up by the first loop over it.
#include "core/chat/jinja/filters.h"
#include "core/chat/jinja/printing.h"

namespace ondol::chat::jinja {
namespace {

Result<Value> map(Interpreter& in, const Value& input, const CallArgs& args) {
  if (!truthy(input)) return in.heap().make_list({}, ListKind::kGenerator);  // None too, as in Jinja
  ONDOL_TRY(const std::vector<Value> values, in.iterate(input));
  std::vector<Value> out;
  const Value* attribute = nullptr;
  const Value* otherwise = nullptr;
  for (const auto& [name, value, mark] : args.named) {
    if (name == "attribute") attribute = &value;
    if (name == "default") otherwise = &value;
  }
  if (args.positional.empty() && attribute != nullptr) {
    for (const auto& [name, value, mark] : args.named) {
      if (name != "attribute" && name != "default")
        return failure("Unexpected keyword argument '" + name + "'");
    }
    for (const Value& value : values) {
      ONDOL_TRY(Value part, in.attribute_path(value, *attribute));
      if (part.is(Kind::kUndefined) && otherwise != nullptr && !otherwise->is(Kind::kNone)) part = *otherwise;
      out.push_back(std::move(part));
    }
    return in.heap().make_list(std::move(out), ListKind::kGenerator);
  }
  if (args.positional.empty() || !args.positional[0].is(Kind::kString)) {
    return failure("map requires a filter argument");
  }
  CallArgs rest;
  rest.positional.assign(args.positional.begin() + 1, args.positional.end());
  rest.named = args.named;
  for (const Value& value : values) {
    ONDOL_TRY(Value part, in.filter(args.positional[0].view(), value, rest));
    out.push_back(std::move(part));
  }
  return in.heap().make_list(std::move(out), ListKind::kGenerator);
}

// select, reject, selectattr, rejectattr.
Result<Value> choose(Interpreter& in, const Value& input, const CallArgs& args, bool wanted,
                     bool by_attribute) {
  if (!truthy(input)) return in.heap().make_list({}, ListKind::kGenerator);  // None too, as in Jinja
  ONDOL_TRY(const std::vector<Value> values, in.iterate(input));
  size_t used = 0;
  if (by_attribute && args.positional.empty()) return failure("Missing parameter for attribute name");
  if (by_attribute) used = 1;
  CallArgs rest;
  std::string_view test;
  if (args.positional.size() > used) {
    if (!args.positional[used].is(Kind::kString)) return failure("the name of a test must be a string");
    test = args.positional[used].view();
    rest.positional.assign(args.positional.begin() + static_cast<std::ptrdiff_t>(used) + 1,
                           args.positional.end());
    rest.named = args.named;
  }
  std::vector<Value> out;
  for (const Value& value : values) {
    Value subject = value;
    if (by_attribute) {
      ONDOL_TRY(subject, in.attribute_path(value, args.positional[0]));
    }
    bool holds = truthy(subject);
    if (!test.empty()) {
      ONDOL_TRY(holds, in.test(test, subject, rest));
    }
    if (holds == wanted) out.push_back(value);
    ONDOL_RETURN_IF_ERROR(in.heap().check());
  }
  return in.heap().make_list(std::move(out), ListKind::kGenerator);
}

Result<Value> select(Interpreter& in, const Value& input, const CallArgs& args) {
  return choose(in, input, args, true, false);
}
Result<Value> reject(Interpreter& in, const Value& input, const CallArgs& args) {
  return choose(in, input, args, false, false);
}
Result<Value> selectattr(Interpreter& in, const Value& input, const CallArgs& args) {
  return choose(in, input, args, true, true);
}
Result<Value> rejectattr(Interpreter& in, const Value& input, const CallArgs& args) {
  return choose(in, input, args, false, true);
}

Result<Value> attr(Interpreter& in, const Value& input, const CallArgs& args) {
  ONDOL_TRY(const Bound a, Bound::bind("attr", args, {"name"}, 1));
  if (input.is(Kind::kDict) && a[0]->is(Kind::kString) && !has_method(input, a[0]->view())) {
    return Value::undefined("'dict object' has no attribute '" + std::string(a[0]->view()) + "'");
  }
  if (!a[0]->is(Kind::kString)) return failure("attr needs a name");
  return in.attribute(input, a[0]->view());
}

constexpr FilterEntry kFilters[] = {
    {"map", map},
    {"select", select},
    {"reject", reject},
    {"selectattr", selectattr},
    {"rejectattr", rejectattr},
    {"attr", attr},
};

}  // namespace

std::span<const FilterEntry> choosing_filters() { return kFilters; }

}  // namespace ondol::chat::jinja
