#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "core/chat/jinja/parser_state.h"

namespace ondol::chat::jinja {

void Parser::fail(const std::string& message) {
  if (!error_) error_ = syntax_error(now().at, message);
}

std::string Parser::describe() const {
  switch (now().type) {
    case TokenType::kEnd: return "the end of the template";
    case TokenType::kBlockEnd: return "'%}'";
    case TokenType::kPrintEnd: return "'}}'";
    case TokenType::kString: return "a string";
    case TokenType::kText: return "text";
    default: return "'" + now().text + "'";
  }
}

bool Parser::take_operator(std::string_view text) {
  if (!is_operator(text)) return false;
  next();
  return true;
}

bool Parser::take_name(std::string_view text) {
  if (!is_name(text)) return false;
  next();
  return true;
}

void Parser::want_operator(std::string_view text) {
  if (!take_operator(text)) fail("expected '" + std::string(text) + "', found " + describe());
}

void Parser::want_name(std::string_view text) {
  if (!take_name(text)) fail("expected '" + std::string(text) + "', found " + describe());
}

std::string Parser::want_any_name() {
  if (now().type != TokenType::kName) {
    fail("expected a name, found " + describe());
    return "";
  }
  std::string name = now().text;
  next();
  return name;
}

void Parser::measure(Expr& node) {
  int depth = 0;
  for (const ExprPtr& child : node.children) depth = std::max(depth, child ? child->depth : 0);
  for (const Argument& argument : node.arguments) {
    depth = std::max(depth, argument.value ? argument.value->depth : 0);
  }
  node.depth = depth + 1;
  if (node.depth > kExpressionDepthMax) fail("an expression is nested too deeply");
}

ExprPtr Parser::make(ExprKind kind, Position at, std::initializer_list<ExprPtr*> children) {
  auto node = std::make_unique<Expr>();
  node->kind = kind;
  node->at = at;
  for (ExprPtr* child : children) node->children.push_back(std::move(*child));
  measure(*node);
  return node;
}

ExprPtr Parser::expression(bool with_condition) {
  if (++expression_depth_ > kExpressionDepthMax) fail("an expression is nested too deeply");
  ExprPtr result = error_ ? nullptr : with_condition ? conditional() : either();
  --expression_depth_;
  return result;
}

ExprPtr Parser::conditional() {
  ExprPtr then = either();
  while (is_name("if")) {
    const Position at = now().at;
    next();
    ExprPtr condition = either();
    ExprPtr otherwise;
    if (take_name("else")) otherwise = expression();
    then = make(ExprKind::kConditional, at, {&condition, &then, &otherwise});
  }
  return then;
}

ExprPtr Parser::either() {
  ExprPtr left = both();
  while (is_name("or")) {
    const Position at = now().at;
    next();
    ExprPtr right = both();
    left = make(ExprKind::kOr, at, {&left, &right});
  }
  return left;
}

ExprPtr Parser::both() {
  ExprPtr left = negation();
  while (is_name("and")) {
    const Position at = now().at;
    next();
    ExprPtr right = negation();
    left = make(ExprKind::kAnd, at, {&left, &right});
  }
  return left;
}

ExprPtr Parser::negation() {
  std::vector<Position> nots;
  for (; is_name("not"); next()) nots.push_back(now().at);
  ExprPtr node = comparison();
  for (; !nots.empty() && !error_; nots.pop_back()) node = make(ExprKind::kNot, nots.back(), {&node});
  return node;
}

ExprPtr Parser::comparison() {
  ExprPtr first = sum();
  ExprPtr node;
  while (!error_) {
    const Position at = now().at;
    std::string op;
    if (now().type == TokenType::kOperator) {
      for (const std::string_view each : {"==", "!=", "<", "<=", ">", ">="}) {
        if (now().text == each) op = each;
      }
    } else if (is_name("in")) {
      op = "in";
    } else if (is_name("not") && ahead().type == TokenType::kName && ahead().text == "in") {
      op = "not in";
      next();
    }
    if (op.empty()) break;
    next();
    if (!node) node = make(ExprKind::kCompare, at, {&first});
    node->operators.push_back(op);
    node->children.push_back(sum());
    measure(*node);
  }
  return node ? std::move(node) : std::move(first);
}

ExprPtr Parser::sum() {
  ExprPtr left = concatenation();
  while (is_operator("+") || is_operator("-")) {
    const Token op = now();
    next();
    ExprPtr right = concatenation();
    left = make(ExprKind::kBinary, op.at, {&left, &right});
    left->name = op.text;
  }
  return left;
}

ExprPtr Parser::concatenation() {
  ExprPtr first = product();
  if (!is_operator("~")) return first;
  ExprPtr node = make(ExprKind::kConcat, now().at, {&first});
  while (take_operator("~")) node->children.push_back(product());
  measure(*node);
  return node;
}

ExprPtr Parser::product() {
  ExprPtr left = power();
  while (is_operator("*") || is_operator("/") || is_operator("//") || is_operator("%")) {
    const Token op = now();
    next();
    ExprPtr right = power();
    left = make(ExprKind::kBinary, op.at, {&left, &right});
    left->name = op.text;
  }
  return left;
}

ExprPtr Parser::power() {
  ExprPtr left = unary(true);
  while (is_operator("**")) {
    const Token op = now();
    next();
    ExprPtr right = unary(true);
    left = make(ExprKind::kBinary, op.at, {&left, &right});
    left->name = op.text;
  }
  return left;
}

// As in Jinja, filters bind to the signed value: -1|abs is (-1)|abs.
ExprPtr Parser::unary(bool with_filters) {
  std::vector<Token> signs;
  for (; is_operator("-") || is_operator("+"); next()) signs.push_back(now());
  ExprPtr node = postfix(primary());
  for (; !signs.empty() && !error_; signs.pop_back()) {
    const bool minus = signs.back().text == "-";
    node = postfix(make(minus ? ExprKind::kNegate : ExprKind::kPlus, signs.back().at, {&node}));
  }
  return with_filters ? filters_and_tests(std::move(node)) : std::move(node);
}

ExprPtr Parser::primary() {
  const Token token = now();
  const auto literal = [&](Value value) {
    next();
    ExprPtr node = make(ExprKind::kLiteral, token.at);
    node->literal = std::move(value);
    return node;
  };
  switch (token.type) {
    case TokenType::kName: {
      if (token.text == "true" || token.text == "True") return literal(Value::boolean(true));
      if (token.text == "false" || token.text == "False") return literal(Value::boolean(false));
      if (token.text == "none" || token.text == "None") return literal(Value::none());
      next();
      ExprPtr node = make(ExprKind::kName, token.at);
      node->name = token.text;
      for (Macro* macro : macros_) {
        macro->uses_caller |= token.text == "caller";
        macro->uses_varargs |= token.text == "varargs";
        macro->uses_kwargs |= token.text == "kwargs";
      }
      return node;
    }
    case TokenType::kString: {
      std::string text = token.text;
      for (; ahead().type == TokenType::kString; next()) text += ahead().text;  // neighbours are joined
      return literal(Value::string(text));
    }
    case TokenType::kInteger: {
      int64_t value = 0;
      const auto end = token.text.data() + token.text.size();
      if (std::from_chars(token.text.data(), end, value).ec == std::errc())
        return literal(Value::integer(value));
      return literal(Value::big_integer(token.text, false));
    }
    case TokenType::kFloat: return literal(Value::real(std::strtod(token.text.c_str(), nullptr)));
    default: break;
  }
  if (is_operator("[")) return list_literal();
  if (is_operator("{")) return dict_literal();
  if (take_operator("(")) {
    ExprPtr node = tuple(true, true);
    want_operator(")");
    return node;
  }
  fail("unexpected " + describe());
  return nullptr;
}

ExprPtr Parser::tuple(bool with_condition, bool in_parentheses) {
  const Position at = now().at;
  std::vector<ExprPtr> items;
  bool is_tuple = false;
  const auto at_end = [&] {
    return now().type == TokenType::kPrintEnd || now().type == TokenType::kBlockEnd || is_operator(")") ||
           now().type == TokenType::kEnd;
  };
  while (!at_end()) {
    items.push_back(expression(with_condition));
    if (!take_operator(",")) break;
    is_tuple = true;
  }
  if (!is_tuple && !items.empty()) return std::move(items.front());
  if (items.empty() && !in_parentheses) {
    fail("expected an expression, found " + describe());
    return nullptr;
  }
  ExprPtr node = make(ExprKind::kTuple, at);
  node->children = std::move(items);
  measure(*node);
  return node;
}

ExprPtr Parser::list_literal() {
  ExprPtr node = make(ExprKind::kList, now().at);
  next();
  while (!is_operator("]") && !error_) {
    node->children.push_back(expression());
    if (!is_operator("]")) want_operator(",");
  }
  want_operator("]");
  measure(*node);
  return node;
}

ExprPtr Parser::dict_literal() {
  ExprPtr node = make(ExprKind::kDict, now().at);
  next();
  while (!is_operator("}") && !error_) {
    node->children.push_back(expression());
    want_operator(":");
    node->children.push_back(expression());
    if (!is_operator("}")) want_operator(",");
  }
  want_operator("}");
  measure(*node);
  return node;
}

ExprPtr Parser::postfix(ExprPtr target) {
  while (!error_) {
    if (is_operator(".")) {
      const Position at = now().at;
      next();
      if (now().type == TokenType::kInteger) {
        ExprPtr index = primary();
        target = make(ExprKind::kItem, at, {&target, &index});
      } else {
        target = make(ExprKind::kAttribute, at, {&target});
        target->name = want_any_name();
      }
    } else if (is_operator("[")) {
      target = subscript(std::move(target));
    } else if (is_operator("(")) {
      target = call(std::move(target));
    } else {
      break;
    }
  }
  return target;
}

ExprPtr Parser::filters_and_tests(ExprPtr target) {
  while (!error_) {
    if (is_operator("|")) {
      target = one_filter(std::move(target));
    } else if (is_name("is")) {
      target = one_test(std::move(target));
    } else if (is_operator("(")) {
      target = call(std::move(target));
    } else {
      break;
    }
  }
  return target;
}

ExprPtr Parser::one_filter(ExprPtr target) {
  const Position at = now().at;
  next();
  ExprPtr node = make(ExprKind::kFilter, at, {&target});
  node->name = want_any_name();
  while (take_operator(".")) node->name += "." + want_any_name();
  if (is_operator("(")) arguments(*node);
  measure(*node);
  return node;
}

ExprPtr Parser::one_test(ExprPtr target) {
  const Position at = now().at;
  next();
  const bool negated = take_name("not");
  ExprPtr node = make(ExprKind::kTest, at, {&target});
  node->name = want_any_name();
  while (take_operator(".")) node->name += "." + want_any_name();
  const TokenType type = now().type;
  if (is_operator("(")) {
    arguments(*node);
  } else if ((type == TokenType::kName && !is_name("else") && !is_name("or") && !is_name("and")) ||
             type == TokenType::kString || type == TokenType::kInteger || type == TokenType::kFloat ||
             is_operator("[") || is_operator("{")) {
    if (is_name("is")) fail("tests cannot be chained with 'is'");
    if (!error_) {
      Argument argument;
      argument.value = postfix(primary());
      node->arguments.push_back(std::move(argument));
    }
  }
  measure(*node);
  return negated ? make(ExprKind::kNot, at, {&node}) : std::move(node);
}

ExprPtr Parser::subscript_part() { return expression(); }

ExprPtr Parser::subscript(ExprPtr target) {
  const Position at = now().at;
  next();
  std::vector<ExprPtr> parts;
  bool is_tuple = false;
  while (!error_ && !is_operator("]")) {
    ExprPtr start, stop, step;
    if (!is_operator(":")) start = subscript_part();
    if (is_operator(":")) {
      next();
      if (!is_operator(":") && !is_operator("]") && !is_operator(",")) stop = subscript_part();
      if (take_operator(":") && !is_operator("]") && !is_operator(",")) step = subscript_part();
      start = make(ExprKind::kSlice, at, {&start, &stop, &step});
    }
    parts.push_back(std::move(start));
    if (!take_operator(",")) break;
    is_tuple = true;
  }
  if (parts.empty()) fail("expected an index, found " + describe());
  want_operator("]");
  if (error_) return nullptr;
  ExprPtr index = std::move(parts.front());
  if (is_tuple) {
    parts.front() = std::move(index);
    index = make(ExprKind::kTuple, at);
    index->children = std::move(parts);
    measure(*index);
  }
  return make(ExprKind::kItem, at, {&target, &index});
}

ExprPtr Parser::call(ExprPtr target) {
  ExprPtr node = make(ExprKind::kCall, now().at, {&target});
  arguments(*node);
  return node;
}

void Parser::arguments(Expr& node) {
  if (++expression_depth_ > kExpressionDepthMax) fail("an expression is nested too deeply");
  want_operator("(");
  while (!error_ && !is_operator(")")) {
    Argument argument;
    if (take_operator("*")) {
      argument.type = Argument::Type::kStar;
    } else if (take_operator("**")) {
      argument.type = Argument::Type::kDoubleStar;
    } else if (now().type == TokenType::kName && ahead().type == TokenType::kOperator &&
               ahead().text == "=") {
      argument.type = Argument::Type::kNamed;
      argument.name = now().text;
      next();
      next();
    } else if (!node.arguments.empty() && node.arguments.back().type != Argument::Type::kPositional) {
      fail("a positional argument after a named one");
    }
    argument.value = expression();
    node.arguments.push_back(std::move(argument));
    if (node.arguments.size() > kCallArgumentsMax) fail("too many arguments");
    if (!is_operator(")")) want_operator(",");
  }
  want_operator(")");
  --expression_depth_;
  measure(node);
}

}  // namespace ondol::chat::jinja
