// Finds the first stop string in a text that arrives in pieces, and says how much of the text can be shown:
// nothing that may still become part of a stop string. "First" is the one that is complete first; of several
// that complete at the same byte the one that started first. Linear (Knuth, Morris and Pratt, 1977).
// One per choice; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ondol {

class StopMatcher {
 public:
  explicit StopMatcher(const std::vector<std::string>& stops);

  // Takes the next bytes. Once a stop string was found, further bytes are ignored.
  void push(std::string_view bytes);
  // Where the found stop string begins, counted from the start of the whole text.
  std::optional<int64_t> found() const { return found_; }
  // The whole text up to here can be shown.
  int64_t safe_length() const { return found_ ? *found_ : length_ - longest_partial_; }

 private:
  struct Pattern {
    std::string text;
    std::vector<size_t> fallback;  // length of the longest proper border of each prefix
    size_t matched = 0;
  };
  std::vector<Pattern> patterns_;
  int64_t length_ = 0;
  int64_t longest_partial_ = 0;
  std::optional<int64_t> found_;
};

}  // namespace ondol
