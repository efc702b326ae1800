#include "core/engine/stop_matcher.h"

#include <algorithm>

namespace ondol {

StopMatcher::StopMatcher(const std::vector<std::string>& stops) {
  for (const std::string& stop : stops) {
    if (stop.empty()) continue;
    Pattern pattern{stop, std::vector<size_t>(stop.size(), 0), 0};
    for (size_t i = 1, border = 0; i < stop.size(); ++i) {
      while (border > 0 && stop[i] != stop[border]) border = pattern.fallback[border - 1];
      if (stop[i] == stop[border]) ++border;
      pattern.fallback[i] = border;
    }
    patterns_.push_back(std::move(pattern));
  }
}

void StopMatcher::push(std::string_view bytes) {
  for (char byte : bytes) {
    if (found_) return;
    ++length_;
    longest_partial_ = 0;
    for (Pattern& pattern : patterns_) {
      while (pattern.matched > 0 && byte != pattern.text[pattern.matched])
        pattern.matched = pattern.fallback[pattern.matched - 1];
      if (byte == pattern.text[pattern.matched]) ++pattern.matched;
      longest_partial_ = std::max(longest_partial_, static_cast<int64_t>(pattern.matched));
      if (pattern.matched < pattern.text.size()) continue;
      const int64_t start = length_ - static_cast<int64_t>(pattern.text.size());
      found_ = found_ ? std::min(*found_, start) : start;
    }
  }
}

}  // namespace ondol
