// Format strings: "%s" % x and "{}".format(x).
#pragma once

#include "core/chat/jinja/interpreter.h"

namespace ondol::chat::jinja {

Result<Value> printf_format(Interpreter& interpreter, const Text& format, const Value& arguments);
Result<Value> braces_format(Interpreter& interpreter, const Text& format, const CallArgs& args);

}  // namespace ondol::chat::jinja
