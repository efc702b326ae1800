#include "core/chat/jinja/frame.h"
#include "core/chat/jinja/interpreter.h"
#include "core/chat/jinja/printing.h"

namespace ondol::chat::jinja {

Interpreter::Interpreter(const Limits& limits, const Clock& clock) : heap_(limits), clock_(clock) {
  globals_ = heap_.make_scope(nullptr);
}

Error failure(std::string message) { return {Code::kInvalidArgument, std::move(message), ""}; }

Error undefined_error(const Value& value) {
  return failure(value.text().empty() ? "an undefined value was used" : std::string(value.view()));
}

Error Interpreter::refuse(const std::string& message) {
  refused_ = true;
  return failure(message);
}

// The innermost place that knows where it is wins.
Error Interpreter::at(Error error, Position position) const {
  if (error.where.empty()) {
    error.where = std::to_string(position.line) + ":" + std::to_string(position.column);
  }
  return error;
}

Result<Text> Interpreter::run(const Block& block) {
  Text out;
  Scope* top = heap_.make_scope(globals_);
  Result<Flow> flow = run_block(block, *top, out);
  if (flow) return out;
  Error error = std::move(flow.error());
  if (!refused_)
    error.message = "the chat template failed: " + error.message + " (line:column " + error.where + ")";
  return error;
}

Result<Interpreter::Flow> Interpreter::run_block(const Block& block, Scope& scope, Text& out) {
  const Frame frame(frame_depth_);
  if (frame_depth_ > heap_.limits().frame_depth_max) return failure("the template is nested too deeply");
  for (const Stmt& stmt : block) {
    heap_.charge_steps(1);
    Result<Flow> flow = run_statement(stmt, scope, out);
    if (!flow) return at(std::move(flow.error()), stmt.at);
    if (*flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

Result<void> Interpreter::append(const Text& text, Text& out) {
  if (static_cast<int64_t>(out.size() + text.size()) > heap_.limits().output_bytes_max) {
    return failure("the output is over " + std::to_string(heap_.limits().output_bytes_max) + " bytes");
  }
  heap_.charge_steps(static_cast<int64_t>(text.size() / 256 + text.runs().size()));
  out.append(text);
  return {};
}

Result<void> Interpreter::print(Value value, Text& out) {
  if (value.is(Kind::kString)) return append(value.text(), out);
  ONDOL_TRY(const Text text, to_text(heap_, value));
  return append(text, out);
}

Result<Interpreter::Flow> Interpreter::run_statement(const Stmt& stmt, Scope& scope, Text& out) {
  ONDOL_RETURN_IF_ERROR(heap_.check());
  switch (stmt.kind) {
    case StmtKind::kText: ONDOL_RETURN_IF_ERROR(append(stmt.literal.text(), out)); break;
    case StmtKind::kPrint: {
      ONDOL_TRY(Value value, eval(*stmt.expr, scope));
      ONDOL_RETURN_IF_ERROR(print(std::move(value), out));
      break;
    }
    case StmtKind::kIf: return run_if(stmt, scope, out);
    case StmtKind::kFor: return run_for(stmt, scope, out);
    case StmtKind::kSet: {
      ONDOL_TRY(const Value value, eval(*stmt.expr, scope));
      ONDOL_RETURN_IF_ERROR(assign(stmt.target, value, scope));
      break;
    }
    case StmtKind::kSetBlock:
    case StmtKind::kFilterBlock: return run_captured(stmt, scope, out);
    case StmtKind::kMacro: {
      Callable callable;
      callable.type = Callable::Type::kMacro;
      callable.name = stmt.macro->name;
      callable.macro = stmt.macro.get();
      callable.closure = &scope;
      scope.set(stmt.macro->name, heap_.make_callable(std::move(callable)));
      break;
    }
    case StmtKind::kCallBlock: return run_call_block(stmt, scope, out);
    case StmtKind::kWith: return run_with(stmt, scope, out);
    case StmtKind::kScope: return run_block(stmt.body, *heap_.make_scope(&scope), out);
    case StmtKind::kBreak: return Flow::kBreak;
    case StmtKind::kContinue: return Flow::kContinue;
  }
  return Flow::kNext;
}

Result<Interpreter::Flow> Interpreter::run_if(const Stmt& stmt, Scope& scope, Text& out) {
  for (const Branch& branch : stmt.branches) {
    ONDOL_TRY(const Value condition, eval(*branch.condition, scope));
    if (truthy(condition)) return run_block(branch.body, scope, out);
  }
  return run_block(stmt.otherwise, scope, out);
}

Result<Interpreter::Flow> Interpreter::run_for(const Stmt& stmt, Scope& scope, Text& out) {
  const Frame frame(loop_depth_);
  if (loop_depth_ > heap_.limits().loop_depth_max) return failure("loops are nested too deeply");
  ONDOL_TRY(const Value source, eval(*stmt.expr, scope));
  ONDOL_TRY(std::vector<Value> values, iterate(source));
  Scope* inner = heap_.make_scope(&scope);
  if (stmt.condition) {
    std::vector<Value> kept;
    for (Value& value : values) {
      inner->variables.clear();
      ONDOL_RETURN_IF_ERROR(assign(stmt.target, value, *inner));
      ONDOL_TRY(const Value keep, eval(*stmt.condition, *inner));
      if (truthy(keep)) kept.push_back(std::move(value));
    }
    values = std::move(kept);
  }
  if (values.empty()) return run_block(stmt.otherwise, *heap_.make_scope(&scope), out);
  const size_t count = values.size();
  const Value loop_value = heap_.make_loop(std::move(values));
  Loop& loop = loop_value.loop_state();
  for (; loop.index < count; ++loop.index) {
    heap_.charge_steps(1);
    inner->variables.clear();
    inner->set("loop", loop_value);
    ONDOL_RETURN_IF_ERROR(assign(stmt.target, loop.values[loop.index], *inner));
    ONDOL_TRY(const Flow flow, run_block(stmt.body, *inner, out));
    if (flow == Flow::kBreak) break;
  }
  return Flow::kNext;
}

// A block set or a filter block: the body's output, through filters, becomes a variable or is printed.
Result<Interpreter::Flow> Interpreter::run_captured(const Stmt& stmt, Scope& scope, Text& out) {
  Text body;
  ONDOL_TRY(const Flow flow, run_block(stmt.body, *heap_.make_scope(&scope), body));
  if (flow != Flow::kNext) return flow;
  Value value = heap_.make_string(std::move(body));
  if (stmt.expr) {
    ONDOL_TRY(value, eval_filter(*stmt.expr, scope, &value));
  }
  if (stmt.kind == StmtKind::kFilterBlock) {
    ONDOL_RETURN_IF_ERROR(print(std::move(value), out));
  } else {
    ONDOL_RETURN_IF_ERROR(assign(stmt.target, value, scope));
  }
  return Flow::kNext;
}

Result<Interpreter::Flow> Interpreter::run_with(const Stmt& stmt, Scope& scope, Text& out) {
  Scope* inner = heap_.make_scope(&scope);
  for (const Assignment& assignment : stmt.assignments) {
    ONDOL_TRY(const Value value, eval(*assignment.value, scope));
    ONDOL_RETURN_IF_ERROR(assign(assignment.target, value, *inner));
  }
  return run_block(stmt.body, *inner, out);
}

Result<Interpreter::Flow> Interpreter::run_call_block(const Stmt& stmt, Scope& scope, Text& out) {
  Callable callable;
  callable.type = Callable::Type::kMacro;
  callable.name = "caller";
  callable.macro = stmt.macro.get();
  callable.closure = &scope;
  const Value caller = heap_.make_callable(std::move(callable));
  ONDOL_TRY(Value value, eval_call(*stmt.expr, scope, &caller));
  ONDOL_RETURN_IF_ERROR(print(std::move(value), out));
  return Flow::kNext;
}

Result<void> Interpreter::assign(const Target& target, const Value& value, Scope& scope) {
  if (target.items.empty()) {
    if (target.attribute.empty()) {
      scope.set(target.name, value);
      return {};
    }
    const Value* object = scope.find(target.name);
    if (object == nullptr || !object->is(Kind::kNamespace)) {
      return at(failure("cannot assign attribute on non-namespace object"), target.at);
    }
    heap_.charge_bytes(static_cast<int64_t>(128 + target.attribute.size()));
    object->entries().set(target.attribute, value);
    return {};
  }
  ONDOL_TRY(const std::vector<Value> values, iterate(value));
  if (values.size() != target.items.size()) {
    return at(failure("cannot unpack " + std::to_string(values.size()) + " values into " +
                      std::to_string(target.items.size()) + " names"),
              target.at);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    ONDOL_RETURN_IF_ERROR(assign(target.items[i], values[i], scope));
  }
  return {};
}

}  // namespace ondol::chat::jinja
