// Template text into a tree. Depth of expressions and blocks is limited, so that a hostile template
// cannot overflow the stack, here or in the interpreter.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/chat/jinja/ast.h"

namespace ondol::chat::jinja {

// Errors: kInvalidArgument; message and `where` carry line and column.
Result<Block> parse_template(std::string_view source);

}  // namespace ondol::chat::jinja
