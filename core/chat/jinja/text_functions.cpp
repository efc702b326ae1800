#include "core/chat/jinja/text_functions.h"

#include <algorithm>

#include "core/chat/jinja/printing.h"
#include "core/chat/jinja/unicode.h"

namespace ondol::chat::jinja {

Text strip(const Text& text, Side side, const std::string_view* characters) {
  const std::string_view view = text.view();
  const auto drops = [&](size_t at) {
    if (characters == nullptr) return is_space(decode_char(view, at));
    return characters->find(view.substr(at, char_bytes(view, at))) != std::string_view::npos;
  };
  size_t begin = 0;
  if (side != Side::kRight) {
    while (begin < view.size() && drops(begin)) begin += char_bytes(view, begin);
  }
  size_t end = view.size();
  while (side != Side::kLeft && end > begin) {
    size_t last = end - 1;
    while (last > begin && end - last < 4 && (static_cast<uint8_t>(view[last]) & 0xc0) == 0x80) --last;
    if (char_bytes(view, last) != end - last) last = end - 1;
    if (!drops(last)) break;
    end = last;
  }
  return text.slice(begin, end);
}

Text map_characters(const Text& text, uint32_t (*change)(uint32_t)) {
  const std::string_view view = text.view();
  Text out;
  std::string changed;
  for (size_t at = 0; at < view.size();) {
    const size_t bytes = char_bytes(view, at);
    const uint32_t c = decode_char(view, at);
    if (c == 0xfffd || change(c) == c) {
      out.append(text, at, at + bytes);
    } else {
      changed.clear();
      append_utf8(changed, change(c));
      out.append(changed, text.from_message_at(at));
    }
    at += bytes;
  }
  return out;
}

Text capitalize(const Text& text) {
  if (text.empty()) return text;
  const size_t first = char_bytes(text.view(), 0);
  Text out = map_characters(text.slice(0, first), to_upper);
  out.append(map_characters(text.slice(first, text.size()), to_lower));
  return out;
}

Text title(const Text& text) {
  const std::string_view view = text.view();
  Text out;
  bool in_word = false;
  for (size_t at = 0; at < view.size();) {
    const size_t bytes = char_bytes(view, at);
    const uint32_t c = decode_char(view, at);
    const Text character = text.slice(at, at + bytes);
    out.append(map_characters(character, in_word ? to_lower : to_upper));
    in_word = is_upper(c) || is_lower(c);
    at += bytes;
  }
  return out;
}

Result<Text> replace(Heap& heap, const Text& text, const Text& old_text, const Text& new_text,
                     int64_t count) {
  const std::string_view view = text.view();
  const std::string_view needle = old_text.view();
  Text out;
  size_t at = 0;
  for (; count != 0; --count) {
    // An empty needle stands before every character and at the end.
    const size_t found = needle.empty() ? at : view.find(needle, at);
    if (found == std::string_view::npos) break;
    out.append(text, at, found);
    out.append(new_text);
    at = found + needle.size();
    heap.charge_steps(1);
    ONDOL_RETURN_IF_ERROR(heap.check());
    ONDOL_RETURN_IF_ERROR(heap.admit(static_cast<int64_t>(out.size())));
    if (needle.empty()) {
      if (at >= view.size()) break;
      out.append(text, at, at + char_bytes(view, at));
      at += char_bytes(view, at);
    }
  }
  out.append(text, at, text.size());
  heap.charge_steps(static_cast<int64_t>(text.size() / 256));
  return out;
}

Result<Text> join(Heap& heap, const std::vector<Value>& parts, const Text& separator) {
  Text out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out.append(separator);
    ONDOL_TRY(const Text part, to_text(heap, parts[i]));
    out.append(part);
    heap.charge_steps(1);
    ONDOL_RETURN_IF_ERROR(heap.check());
    ONDOL_RETURN_IF_ERROR(heap.admit(static_cast<int64_t>(out.size())));
  }
  return out;
}

std::vector<Text> split_lines(const Text& text, bool keep_ends) {
  const std::string_view view = text.view();
  std::vector<Text> out;
  size_t begin = 0;
  for (size_t at = 0; at < view.size();) {
    const size_t bytes = char_bytes(view, at);
    const uint32_t c = decode_char(view, at);
    const bool ends =
        (c >= 0x0a && c <= 0x0d) || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028 || c == 0x2029;
    size_t next = at + bytes;
    if (ends) {
      if (c == '\r' && next < view.size() && view[next] == '\n') ++next;
      out.push_back(text.slice(begin, keep_ends ? next : at));
      begin = next;
    }
    at = next;
  }
  if (begin < view.size()) out.push_back(text.slice(begin, view.size()));
  return out;
}

Result<Text> pad_text(Heap& heap, const Text& text, int64_t width, Side side, const Text& fill) {
  const auto length = static_cast<int64_t>(char_count(text.view()));
  if (width <= length) return text;
  ONDOL_RETURN_IF_ERROR(heap.admit(width > heap.limits().output_bytes_max ? width : width * 4));
  const int64_t space = width - length;
  // str.center puts the odd one left if the width is odd.
  const int64_t left = side == Side::kRight  ? 0
                       : side == Side::kLeft ? space
                                             : space / 2 + (space & width & 1);
  Text out;
  for (int64_t i = 0; i < left; ++i) out.append(fill);
  out.append(text);
  for (int64_t i = left; i < space; ++i) out.append(fill);
  return out;
}

}  // namespace ondol::chat::jinja
