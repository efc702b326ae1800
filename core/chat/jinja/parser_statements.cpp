#include <algorithm>

#include "core/chat/jinja/parser.h"
#include "core/chat/jinja/parser_state.h"

namespace ondol::chat::jinja {

Result<Block> Parser::run() {
  Block out = block({});
  if (error_) return std::move(*error_);
  return out;
}

Block Parser::block(std::initializer_list<std::string_view> ends) {
  Block out;
  if (++block_depth_ > kBlockDepthMax) fail("blocks are nested too deeply");
  while (now().type != TokenType::kEnd) {
    const Token& token = now();
    if (token.type == TokenType::kText) {
      Stmt& text = out.emplace_back();
      text.at = token.at;
      text.literal = Value::string(token.text);
      next();
    } else if (token.type == TokenType::kPrintBegin) {
      Stmt print;
      print.kind = StmtKind::kPrint;
      print.at = token.at;
      next();
      print.expr = tuple();
      if (now().type != TokenType::kPrintEnd) fail("expected '}}', found " + describe());
      next();
      out.push_back(std::move(print));
    } else {
      next();  // "{%"
      for (const std::string_view end : ends) {
        if (is_name(end)) return --block_depth_, std::move(out);
      }
      statement(out);
    }
  }
  if (ends.size() > 0)
    fail("expected '" + std::string(*(ends.end() - 1)) + "', found the end of the template");
  --block_depth_;
  return out;
}

void Parser::close() {
  if (now().type != TokenType::kBlockEnd) fail("expected '%}', found " + describe());
  next();
}

void Parser::end_tag(std::string_view name) {
  want_name(name);
  close();
}

void Parser::statement(Block& out) {
  const Token tag = now();
  if (tag.type != TokenType::kName) return fail("expected the name of a tag, found " + describe());
  if (tag.text == "if") return if_statement(out);
  if (tag.text == "for") return for_statement(out);
  if (tag.text == "set") return set_statement(out);
  if (tag.text == "macro") return macro_statement(out);
  if (tag.text == "call") return call_statement(out);
  if (tag.text == "filter") return filter_statement(out);
  if (tag.text == "with") return with_statement(out);
  if (tag.text == "generation") return scope_statement(out, "endgeneration");
  if (tag.text == "break" || tag.text == "continue") {
    if (loop_depth_ == 0) return fail("'" + tag.text + "' outside of a loop");
    next();
    Stmt& stmt = out.emplace_back();
    stmt.kind = tag.text == "break" ? StmtKind::kBreak : StmtKind::kContinue;
    stmt.at = tag.at;
    return close();
  }
  fail("unknown tag '" + tag.text + "'");
}

void Parser::if_statement(Block& out) {
  Stmt stmt;
  stmt.kind = StmtKind::kIf;
  stmt.at = now().at;
  do {
    next();  // "if" or "elif"
    Branch branch;
    branch.condition = tuple(false);
    close();
    branch.body = block({"elif", "else", "endif"});
    stmt.branches.push_back(std::move(branch));
  } while (is_name("elif"));
  if (take_name("else")) {
    close();
    stmt.otherwise = block({"endif"});
  }
  end_tag("endif");
  out.push_back(std::move(stmt));
}

void Parser::for_statement(Block& out) {
  Stmt stmt;
  stmt.kind = StmtKind::kFor;
  stmt.at = now().at;
  next();
  stmt.target = target(false);
  want_name("in");
  stmt.expr = tuple(false);
  if (take_name("if")) stmt.condition = expression();
  if (is_name("recursive")) fail("recursive loops are not supported");
  close();
  ++loop_depth_;
  stmt.body = block({"else", "endfor"});
  --loop_depth_;
  if (take_name("else")) {
    close();
    stmt.otherwise = block({"endfor"});
  }
  end_tag("endfor");
  out.push_back(std::move(stmt));
}

Target Parser::one_target(bool with_attributes) {
  Target out;
  out.at = now().at;
  if (!with_attributes && take_operator("(")) {
    if (++expression_depth_ > kExpressionDepthMax) fail("an expression is nested too deeply");
    out = error_ ? Target{} : target(false);
    --expression_depth_;
    want_operator(")");
    return out;
  }
  out.name = want_any_name();
  for (const std::string_view word : {"true", "false", "none", "True", "False", "None"}) {
    if (out.name == word) fail("cannot assign to '" + out.name + "'");
  }
  if (with_attributes && take_operator(".")) out.attribute = want_any_name();
  return out;
}

Target Parser::target(bool with_attributes) {
  Target first = one_target(with_attributes);
  if (!is_operator(",")) return first;
  Target out;
  out.at = first.at;
  out.items.push_back(std::move(first));
  while (take_operator(",")) {
    if (now().type != TokenType::kName && !is_operator("(")) break;
    if (is_name("in")) break;
    out.items.push_back(one_target(with_attributes));
  }
  return out;
}

void Parser::set_statement(Block& out) {
  Stmt stmt;
  stmt.at = now().at;
  next();
  stmt.target = target(true);
  if (take_operator("=")) {
    stmt.kind = StmtKind::kSet;
    stmt.expr = tuple();
    close();
  } else {
    stmt.kind = StmtKind::kSetBlock;
    while (is_operator("|")) stmt.expr = one_filter(std::move(stmt.expr));
    close();
    stmt.body = block({"endset"});
    end_tag("endset");
  }
  out.push_back(std::move(stmt));
}

void Parser::signature(Macro& macro) {
  want_operator("(");
  while (!error_ && !is_operator(")")) {
    if (!macro.parameters.empty()) want_operator(",");
    if (is_operator(")")) break;
    Parameter parameter;
    parameter.name = want_any_name();
    if (take_operator("=")) {
      parameter.otherwise = expression();
    } else if (!macro.parameters.empty() && macro.parameters.back().otherwise) {
      fail("a parameter without a default after one with a default");
    }
    macro.parameters.push_back(std::move(parameter));
    if (macro.parameters.size() > kCallArgumentsMax) fail("too many parameters");
  }
  want_operator(")");
}

Block Parser::macro_body(Macro& macro, std::string_view end) {
  close();
  const int loops = std::exchange(loop_depth_, 0);
  macros_.push_back(&macro);
  Block body = block({end});
  macros_.pop_back();
  loop_depth_ = loops;
  end_tag(end);
  return body;
}

void Parser::macro_statement(Block& out) {
  Stmt stmt;
  stmt.kind = StmtKind::kMacro;
  stmt.at = now().at;
  next();
  stmt.macro = std::make_unique<Macro>();
  stmt.macro->name = want_any_name();
  signature(*stmt.macro);
  stmt.macro->body = macro_body(*stmt.macro, "endmacro");
  out.push_back(std::move(stmt));
}

void Parser::call_statement(Block& out) {
  Stmt stmt;
  stmt.kind = StmtKind::kCallBlock;
  stmt.at = now().at;
  next();
  stmt.macro = std::make_unique<Macro>();
  stmt.macro->name = "caller";
  if (is_operator("(")) signature(*stmt.macro);
  stmt.expr = expression();
  if (stmt.expr && stmt.expr->kind != ExprKind::kCall) fail("expected a call");
  stmt.macro->body = macro_body(*stmt.macro, "endcall");
  out.push_back(std::move(stmt));
}

void Parser::filter_statement(Block& out) {
  Stmt stmt;
  stmt.kind = StmtKind::kFilterBlock;
  stmt.at = now().at;
  do {
    // At "filter" or "|": one_filter() skips it.
    stmt.expr = one_filter(std::move(stmt.expr));
  } while (is_operator("|"));
  close();
  stmt.body = block({"endfilter"});
  end_tag("endfilter");
  out.push_back(std::move(stmt));
}

void Parser::with_statement(Block& out) {
  Stmt stmt;
  stmt.kind = StmtKind::kWith;
  stmt.at = now().at;
  next();
  while (!error_ && now().type != TokenType::kBlockEnd) {
    if (!stmt.assignments.empty()) want_operator(",");
    Assignment assignment;
    assignment.target = one_target(false);
    want_operator("=");
    assignment.value = expression();
    stmt.assignments.push_back(std::move(assignment));
  }
  close();
  stmt.body = block({"endwith"});
  end_tag("endwith");
  out.push_back(std::move(stmt));
}

void Parser::scope_statement(Block& out, std::string_view end) {
  Stmt stmt;
  stmt.kind = StmtKind::kScope;
  stmt.at = now().at;
  next();
  close();
  stmt.body = block({end});
  end_tag(end);
  out.push_back(std::move(stmt));
}

Result<Block> parse_template(std::string_view source) {
  ONDOL_TRY(std::vector<Token> tokens, tokenize_template(source));
  return Parser(std::move(tokens)).run();
}

}  // namespace ondol::chat::jinja
