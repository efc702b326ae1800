#include "core/chat/jinja/text.h"

#include <algorithm>

namespace ondol::chat::jinja {

void Text::append(std::string_view bytes, bool from_message) {
  if (bytes.empty()) return;
  bytes_.append(bytes);
  if (!runs_.empty() && runs_.back().from_message == from_message) {
    runs_.back().end = bytes_.size();
  } else {
    runs_.push_back({bytes_.size(), from_message});
  }
}

void Text::append(const Text& other, size_t begin, size_t end) {
  if (begin >= end) return;
  if (&other == this) {
    const Text copy = other;
    return append(copy, begin, end);
  }
  auto run = std::upper_bound(other.runs_.begin(), other.runs_.end(), begin,
                              [](size_t at, const Run& r) { return at < r.end; });
  for (size_t at = begin; at < end; ++run) {
    const size_t stop = std::min(run->end, end);
    append(std::string_view(other.bytes_).substr(at, stop - at), run->from_message);
    at = stop;
  }
}

Text Text::slice(size_t begin, size_t end) const {
  Text out;
  if (begin < end) out.reserve(end - begin);
  out.append(*this, begin, end);
  return out;
}

bool Text::from_message_at(size_t index) const {
  if (runs_.size() == 1) return runs_.front().from_message;
  const auto run =
      std::upper_bound(runs_.begin(), runs_.end(), index, [](size_t at, const Run& r) { return at < r.end; });
  return run != runs_.end() && run->from_message;
}

bool Text::any_from_message() const {
  return std::any_of(runs_.begin(), runs_.end(), [](const Run& r) { return r.from_message; });
}

void Text::mark_all() {
  if (!bytes_.empty()) runs_.assign(1, {bytes_.size(), true});
}

}  // namespace ondol::chat::jinja
