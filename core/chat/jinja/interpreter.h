// Runs a parsed template. One Interpreter is one render: one thread, one heap, limits counted from zero.
// Nothing is thrown: an error is a Result that travels up, and the place is added on the way.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/chat/jinja/ast.h"
#include "core/chat/jinja/value.h"

namespace ondol::chat::jinja {

struct NamedArgument {
  std::string name;
  Value value;
  bool name_from_message = false;  // a key of a mapping handed over with **
};

struct CallArgs {
  std::vector<Value> positional;
  std::vector<NamedArgument> named;
};

// Arguments laid out by parameter name; a missing one is null. Views into the CallArgs.
class Bound {
 public:
  // kInvalidArgument: too many, unknown or repeated arguments, or fewer than `required`.
  static Result<Bound> bind(std::string_view function, const CallArgs& args,
                            std::initializer_list<std::string_view> names, size_t required = 0);
  const Value* operator[](size_t index) const { return values_[index]; }
  bool truthy(size_t index, bool otherwise) const;
  Result<int64_t> integer(size_t index, int64_t otherwise) const;  // kInvalidArgument: not an integer
  bool has(size_t index) const { return values_[index] != nullptr; }
  bool given(size_t index) const;  // there and not None

 private:
  std::vector<const Value*> values_;
};

class Interpreter {
 public:
  Interpreter(const Limits& limits, const Clock& clock);
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  Heap& heap() { return heap_; }
  const Clock& clock() const { return clock_; }
  void set_variable(std::string_view name, Value value) { globals_->set(name, std::move(value)); }
  // The whole output. Errors: kInvalidArgument, `where` is "line:column".
  Result<Text> run(const Block& block);
  // The error of run() is the template's own refusal: raise_exception().
  bool refused() const { return refused_; }

  // For filters, tests, methods and functions:
  Result<Value> call(const Value& callee, const CallArgs& args);
  Result<Value> filter(std::string_view name, const Value& input, const CallArgs& args);
  Result<bool> test(std::string_view name, const Value& input, const CallArgs& args);
  Result<Value> attribute(const Value& target, std::string_view name);   // target.name
  Result<Value> item(const Value& target, const Value& key);             // target[key]
  Result<Value> attribute_path(const Value& target, const Value& path);  // "a.b.0" or an integer
  Result<std::vector<Value>> iterate(const Value& value);                // a generator is used up
  Result<Value> make_text(const Value& value);                           // str(value)
  Error refuse(const std::string& message);

 private:
  enum class Flow : uint8_t { kNext, kBreak, kContinue };
  class Frame;

  // Statements (interpreter_statements.cpp).
  Result<Flow> run_block(const Block& block, Scope& scope, Text& out);
  Result<Flow> run_statement(const Stmt& stmt, Scope& scope, Text& out);
  Result<Flow> run_if(const Stmt& stmt, Scope& scope, Text& out);
  Result<Flow> run_for(const Stmt& stmt, Scope& scope, Text& out);
  Result<Flow> run_captured(const Stmt& stmt, Scope& scope, Text& out);
  Result<Flow> run_with(const Stmt& stmt, Scope& scope, Text& out);
  Result<Flow> run_call_block(const Stmt& stmt, Scope& scope, Text& out);
  Result<void> print(Value value, Text& out);
  Result<void> append(const Text& text, Text& out);
  Result<void> assign(const Target& target, const Value& value, Scope& scope);

  // Expressions (interpreter_expressions.cpp).
  Result<Value> eval(const Expr& expr, Scope& scope);
  Result<Value> eval_kind(const Expr& expr, Scope& scope);
  Result<Value> eval_name(const Expr& expr, Scope& scope);
  Result<Value> eval_list(const Expr& expr, Scope& scope);
  Result<Value> eval_dict(const Expr& expr, Scope& scope);
  Result<Value> eval_compare(const Expr& expr, Scope& scope);
  Result<Value> eval_concat(const Expr& expr, Scope& scope);
  Result<Value> eval_conditional(const Expr& expr, Scope& scope);
  Result<Value> eval_item(const Expr& expr, Scope& scope);
  Result<Value> eval_slice(const Value& target, const Expr& slice, Scope& scope);
  Result<Value> eval_call(const Expr& expr, Scope& scope, const Value* caller);
  Result<Value> eval_filter(const Expr& expr, Scope& scope, const Value* input);
  Result<Value> eval_test(const Expr& expr, Scope& scope);
  Result<CallArgs> eval_arguments(const Expr& expr, Scope& scope);
  Result<Value> call_macro(const Callable& callee, const CallArgs& args);
  Error at(Error error, Position position) const;

  Heap heap_;
  const Clock& clock_;
  Scope* globals_ = nullptr;
  int frame_depth_ = 0;
  int call_depth_ = 0;
  int loop_depth_ = 0;
  bool refused_ = false;
};

Error failure(std::string message);
Error undefined_error(const Value& value);  // what using an undefined value says

// Tables (one file each).
Result<Value> binary_operation(Heap& heap, std::string_view op, const Value& a, const Value& b);
Result<Value> negate(Heap& heap, const Value& value, bool minus);
Result<Value> printf_format(Interpreter& interpreter, const Text& format, const Value& arguments);
Result<Value> call_method(Interpreter& interpreter, const Value& self, std::string_view name,
                          const CallArgs& args);
bool has_method(const Value& self, std::string_view name);
bool has_global(std::string_view name);
bool has_filter(std::string_view name);
bool has_test(std::string_view name);
Result<Value> call_global(Interpreter& interpreter, std::string_view name, const CallArgs& args);

}  // namespace ondol::chat::jinja
