// Equality, order and membership, as Python's ==, <, in.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/chat/jinja/value.h"

namespace ondol::chat::jinja {

// Errors: limits only (deep or huge values).
Result<bool> equal(Heap& heap, const Value& a, const Value& b);
// a < b. Errors: kInvalidArgument for types without an order.
Result<bool> less(Heap& heap, const Value& a, const Value& b);
// `op` is one of == != < <= > >= in, not in.
Result<bool> compare(Heap& heap, const std::string& op, const Value& a, const Value& b);
// needle in haystack. A generator is used up.
Result<bool> contains(Heap& heap, const Value& haystack, const Value& needle);

}  // namespace ondol::chat::jinja
