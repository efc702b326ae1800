// The parser's own header: one class, in two files (expressions, statements).
// After the first error every token reads as the end, so all loops stop; the tree is then thrown away.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/chat/jinja/ast.h"
#include "core/chat/jinja/lexer.h"

namespace ondol::chat::jinja {

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}
  Result<Block> run();

 private:
  // Tokens.
  const Token& now() const { return error_ ? tokens_.back() : tokens_[index_]; }
  const Token& ahead() const { return tokens_[std::min(index_ + 1, tokens_.size() - 1)]; }
  void next() {
    if (index_ + 1 < tokens_.size()) ++index_;
  }
  bool is_operator(std::string_view text) const {
    return now().type == TokenType::kOperator && now().text == text;
  }
  bool is_name(std::string_view text) const { return now().type == TokenType::kName && now().text == text; }
  bool take_operator(std::string_view text);
  bool take_name(std::string_view text);
  void want_operator(std::string_view text);
  void want_name(std::string_view text);
  std::string want_any_name();
  void fail(const std::string& message);
  std::string describe() const;  // the token at hand, for errors

  // Expressions (parser_expressions.cpp).
  ExprPtr expression(bool with_condition = true);
  ExprPtr conditional();
  ExprPtr either();
  ExprPtr both();
  ExprPtr negation();
  ExprPtr comparison();
  ExprPtr sum();
  ExprPtr concatenation();
  ExprPtr product();
  ExprPtr power();
  ExprPtr unary(bool with_filters);
  ExprPtr primary();
  ExprPtr postfix(ExprPtr target);
  ExprPtr filters_and_tests(ExprPtr target);
  ExprPtr one_filter(ExprPtr target);
  ExprPtr one_test(ExprPtr target);
  ExprPtr subscript(ExprPtr target);
  ExprPtr subscript_part();
  ExprPtr call(ExprPtr target);
  void arguments(Expr& node);
  ExprPtr list_literal();
  ExprPtr dict_literal();
  // "a, b" is a tuple; one expression without a comma is itself.
  ExprPtr tuple(bool with_condition = true, bool in_parentheses = false);
  ExprPtr make(ExprKind kind, Position at, std::initializer_list<ExprPtr*> children = {});
  // Gives `node` its depth; fails if it is too deep.
  void measure(Expr& node);

  // Statements (parser_statements.cpp).
  Block block(std::initializer_list<std::string_view> ends);  // stops before the end tag's name
  void statement(Block& out);
  void end_tag(std::string_view name);  // at the name
  void close();                         // "%}"
  void if_statement(Block& out);
  void for_statement(Block& out);
  void set_statement(Block& out);
  void macro_statement(Block& out);
  void call_statement(Block& out);
  void filter_statement(Block& out);
  void with_statement(Block& out);
  void scope_statement(Block& out, std::string_view end);
  Target target(bool with_attributes);
  Target one_target(bool with_attributes);
  void signature(Macro& macro);
  Block macro_body(Macro& macro, std::string_view end);

  std::vector<Token> tokens_;
  size_t index_ = 0;
  std::optional<Error> error_;
  int expression_depth_ = 0;
  int block_depth_ = 0;
  int loop_depth_ = 0;
  std::vector<Macro*> macros_;  // being parsed, for the names their bodies use
};

}  // namespace ondol::chat::jinja
