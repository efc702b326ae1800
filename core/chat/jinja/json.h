// JSON in and out of template values. Reading keeps the order of keys and integers of any size.
// Writing is Python's json.dumps as Hugging Face's `tojson` calls it (no HTML escapes).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/chat/jinja/value.h"

namespace ondol::chat::jinja {

// Every string and number in the result is marked `from_message`.
// Errors: kInvalidArgument; `where` is "offset N".
Result<Value> read_json(Heap& heap, std::string_view text, bool from_message);

struct JsonStyle {
  bool ensure_ascii = false;
  bool sort_keys = false;
  std::optional<std::string> indent;  // of one level; without it everything is on one line
  std::string item_separator = ", ";
  std::string key_separator = ": ";
  bool from_message = false;  // any of these texts came from a message
};

// If anything in `value` or `style` came from a message, the whole text is marked so.
Result<Text> write_json(Heap& heap, const Value& value, const JsonStyle& style);

}  // namespace ondol::chat::jinja
