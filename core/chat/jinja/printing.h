// Values as text, the way Python prints them: str(), repr(), type names.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/chat/jinja/value.h"

namespace ondol::chat::jinja {

// str(value); an undefined value prints as nothing. Text of numbers keeps the number's mark. The text
// of a list or dict that holds anything from a message is marked as a whole.
Result<Text> to_text(Heap& heap, const Value& value);
Result<Text> to_repr(Heap& heap, const Value& value);
std::string real_repr(double value);             // 1.0, 1e+16, 0.1, nan
std::string_view type_name(const Value& value);  // "str", "int", "NoneType"...
bool truthy(const Value& value);

}  // namespace ondol::chat::jinja
