// The methods of Python's str that templates call.
#pragma once

#include "core/chat/jinja/interpreter.h"

namespace ondol::chat::jinja {

bool has_string_method(std::string_view name);
Result<Value> call_string_method(Interpreter& in, const Text& self, std::string_view name,
                                 const CallArgs& args);

}  // namespace ondol::chat::jinja
