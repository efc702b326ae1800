// A parsed template. Immutable after parsing; any number of renders may read it at once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/chat/jinja/value.h"

namespace ondol::chat::jinja {

struct Position {
  int line = 1;
  int column = 1;  // in bytes, from 1
};

enum class ExprKind : uint8_t {
  kLiteral,  // literal
  kName,     // name
  kList,     // children
  kTuple,    // children
  kDict,     // children: key, value, key, value...
  kNot,
  kNegate,
  kPlus,    // children[0]
  kBinary,  // name is the operator: + - * / // % **
  kConcat,  // children, joined as text (~)
  kAnd,
  kOr,           // children[0], children[1]
  kCompare,      // children[0] operators[0] children[1] operators[1] ...
  kConditional,  // children: condition, then, else (may be null)
  kAttribute,    // children[0].name
  kItem,         // children[0][children[1]]
  kSlice,        // children: start, stop, step; each may be null
  kCall,         // children[0](arguments)
  kFilter,       // children[0] | name(arguments); the innermost child of a filter block is null
  kTest,         // children[0] is name(arguments)
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Argument {
  enum class Type : uint8_t { kPositional, kNamed, kStar, kDoubleStar } type = Type::kPositional;
  std::string name;
  ExprPtr value;
};

struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  Position at;
  int depth = 1;  // of the tree below, this node included
  std::string name;
  Value literal;
  std::vector<ExprPtr> children;
  std::vector<std::string> operators;
  std::vector<Argument> arguments;
};

// What a value is assigned to: a name, an attribute of a namespace, or a tuple of targets.
struct Target {
  std::string name;
  std::string attribute;
  std::vector<Target> items;  // a tuple, if not empty
  Position at;
};

struct Stmt;
using Block = std::vector<Stmt>;

struct Parameter {
  std::string name;
  ExprPtr otherwise;  // default value; may be null
};

struct Macro {
  std::string name;
  std::vector<Parameter> parameters;
  Block body;
  bool uses_caller = false;
  bool uses_varargs = false;
  bool uses_kwargs = false;
};

enum class StmtKind : uint8_t {
  kText,         // literal
  kPrint,        // expr
  kIf,           // branches, then otherwise
  kFor,          // target in expr if condition: body, else otherwise
  kSet,          // target = expr
  kSetBlock,     // target = body through the filters in expr (may be null)
  kMacro,        // macro
  kCallBlock,    // expr is the call, macro its caller
  kFilterBlock,  // expr, body
  kWith,         // assignments, body
  kScope,        // body in a scope of its own (generation)
  kBreak,
  kContinue,
};

struct Branch {
  ExprPtr condition;
  Block body;
};

struct Assignment {
  Target target;
  ExprPtr value;
};

struct Stmt {
  StmtKind kind = StmtKind::kText;
  Position at;
  Value literal;
  ExprPtr expr;
  ExprPtr condition;
  Target target;
  std::vector<Branch> branches;
  std::vector<Assignment> assignments;
  Block body;
  Block otherwise;
  std::unique_ptr<Macro> macro;
};

}  // namespace ondol::chat::jinja
