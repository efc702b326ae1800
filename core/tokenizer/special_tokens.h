// Finds the tokens of a fixed set in a text. As llama.cpp does, longer tokens come first over the whole text,
// then, of one length, from left to right; what lies between is text.
// Time: one walk down a trie from each byte, and one more pass for each different token length that occurs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ondol {

struct SpecialToken {
  std::string_view text;  // not empty; not kept
  int32_t id = -1;
  bool strips_left = false;   // white space before it belongs to it
  bool strips_right = false;  // white space after it belongs to it
};

// A stretch [begin, end) of bytes: one token, or text (id < 0).
struct Fragment {
  int32_t id = -1;
  size_t begin = 0;
  size_t end = 0;
};

class SpecialTokens {
 public:
  SpecialTokens() = default;
  explicit SpecialTokens(const std::vector<SpecialToken>& tokens);

  std::vector<Fragment> partition(std::string_view text) const;

 private:
  struct Node {
    uint32_t edges_begin = 0, edges_end = 0;  // into edges_, sorted by byte
    int32_t entry = -1;                       // index into entries_ of the token that ends here
  };
  struct Edge {
    uint8_t byte = 0;
    uint32_t node = 0;
  };
  struct Entry {
    int32_t id = -1;
    bool strips_left = false, strips_right = false;
  };
  uint32_t child(uint32_t node, uint8_t byte) const;  // 0: none
  const Entry* find(std::string_view text) const;
  void split(std::string_view text, size_t length, const std::vector<size_t>& candidates,
             std::vector<Fragment>& fragments) const;

  std::vector<Node> nodes_;  // 0 is the root
  std::vector<Edge> edges_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> root_;  // child of the root by byte
  size_t bytes_max_ = 0;
};

}  // namespace ondol
