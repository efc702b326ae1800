// A string that remembers, byte range by byte range, whether it came from a message (user, tool or
// assistant text, names, tool definitions) or from the template. Every string operation of the
// interpreter keeps these marks, so the final prompt can be cut into spans (design: invariant 4).
// Plain value; a const Text may be read from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ondol::chat::jinja {

class Text {
 public:
  struct Run {
    size_t end = 0;  // first byte after the run; runs are in order, not empty, and alternate
    bool from_message = false;
  };

  Text() = default;
  Text(std::string_view bytes, bool from_message) { append(bytes, from_message); }

  std::string_view view() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  const std::vector<Run>& runs() const { return runs_; }

  void reserve(size_t bytes) { bytes_.reserve(bytes); }
  void append(std::string_view bytes, bool from_message);
  void append(const Text& other) { append(other, 0, other.size()); }
  void append(const Text& other, size_t begin, size_t end);  // bytes [begin, end) of `other`
  Text slice(size_t begin, size_t end) const;                // bytes [begin, end)

  bool from_message_at(size_t index) const;
  bool any_from_message() const;
  // Marks every byte as coming from a message.
  void mark_all();

 private:
  std::string bytes_;
  std::vector<Run> runs_;
};

}  // namespace ondol::chat::jinja
