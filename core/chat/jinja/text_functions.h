// String operations that methods and filters share. All keep the marks of their bytes.
#pragma once

#include <string_view>
#include <vector>

#include "core/chat/jinja/interpreter.h"

namespace ondol::chat::jinja {

enum class Side : uint8_t { kBoth, kLeft, kRight };

// Without `characters`: white space.
Text strip(const Text& text, Side side, const std::string_view* characters = nullptr);
Text map_characters(const Text& text, uint32_t (*change)(uint32_t));
Text capitalize(const Text& text);
Text title(const Text& text);  // as str.title(): a letter after a non-letter is upper case
// At most `count` times (all, if negative).
Result<Text> replace(Heap& heap, const Text& text, const Text& old_text, const Text& new_text, int64_t count);
Result<Text> join(Heap& heap, const std::vector<Value>& parts, const Text& separator);
// Lines without their ends, or with them.
std::vector<Text> split_lines(const Text& text, bool keep_ends);
// As str.center and friends; `width` in characters.
Result<Text> pad_text(Heap& heap, const Text& text, int64_t width, Side side, const Text& fill);

}  // namespace ondol::chat::jinja
