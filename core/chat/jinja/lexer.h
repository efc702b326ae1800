// Template text into tokens, with Jinja's rules for white space as Hugging Face sets them:
// trim_blocks and lstrip_blocks on, the final newline of the file dropped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/chat/jinja/ast.h"

namespace ondol::chat::jinja {

enum class TokenType : uint8_t {
  kText,
  kBlockBegin,
  kBlockEnd,
  kPrintBegin,
  kPrintEnd,
  kName,
  kString,
  kInteger,
  kFloat,
  kOperator,
  kEnd,
};

struct Token {
  TokenType type = TokenType::kEnd;
  std::string text;  // kString: unescaped; kInteger, kFloat: digits without underscores
  Position at;
};

// Errors: kInvalidArgument with `where` "line:column".
Result<std::vector<Token>> tokenize_template(std::string_view source);

Error syntax_error(Position at, const std::string& message);

}  // namespace ondol::chat::jinja
