#include "core/tokenizer/special_tokens.h"

#include <algorithm>
#include <map>

namespace ondol {
namespace {

bool is_ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

SpecialTokens::SpecialTokens(const std::vector<SpecialToken>& tokens) : root_(256, 0) {
  std::vector<std::map<uint8_t, uint32_t>> children(1);
  nodes_.emplace_back();
  for (const SpecialToken& token : tokens) {
    uint32_t node = 0;
    for (const char c : token.text) {
      const auto [edge, added] = children[node].try_emplace(static_cast<uint8_t>(c), nodes_.size());
      node = edge->second;
      if (added) {
        nodes_.emplace_back();
        children.emplace_back();
      }
    }
    if (nodes_[node].entry >= 0) continue;  // two tokens of one text: the first counts
    nodes_[node].entry = static_cast<int32_t>(entries_.size());
    entries_.push_back({token.id, token.strips_left, token.strips_right});
    bytes_max_ = std::max(bytes_max_, token.text.size());
  }
  for (size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].edges_begin = static_cast<uint32_t>(edges_.size());
    for (const auto& [byte, node] : children[i]) edges_.push_back({byte, node});
    nodes_[i].edges_end = static_cast<uint32_t>(edges_.size());
  }
  for (const auto& [byte, node] : children[0]) root_[byte] = node;
}

uint32_t SpecialTokens::child(uint32_t node, uint8_t byte) const {
  if (node == 0) return root_[byte];
  const auto begin = edges_.begin() + nodes_[node].edges_begin;
  const auto end = edges_.begin() + nodes_[node].edges_end;
  const auto edge = std::lower_bound(begin, end, byte, [](const Edge& e, uint8_t b) { return e.byte < b; });
  return edge != end && edge->byte == byte ? edge->node : 0;
}

const SpecialTokens::Entry* SpecialTokens::find(std::string_view text) const {
  uint32_t node = 0;
  for (const char c : text) {
    node = child(node, static_cast<uint8_t>(c));
    if (node == 0) return nullptr;
  }
  const int32_t entry = nodes_[node].entry;
  return entry < 0 ? nullptr : &entries_[static_cast<size_t>(entry)];
}

std::vector<Fragment> SpecialTokens::partition(std::string_view text) const {
  std::vector<Fragment> fragments;
  if (text.empty()) return fragments;
  fragments.push_back({-1, 0, text.size()});
  if (entries_.empty()) return fragments;
  std::vector<size_t> candidates;  // where at least one token stands
  std::vector<bool> occurs(bytes_max_ + 1, false);
  for (size_t at = 0; at < text.size(); ++at) {
    uint32_t node = 0;
    bool found = false;
    for (size_t i = at; i < text.size(); ++i) {
      node = child(node, static_cast<uint8_t>(text[i]));
      if (node == 0) break;
      if (nodes_[node].entry < 0) continue;
      found = true;
      occurs[i + 1 - at] = true;
    }
    if (found) candidates.push_back(at);
  }
  for (size_t length = bytes_max_; length > 0; --length) {
    if (occurs[length]) split(text, length, candidates, fragments);
  }
  return fragments;
}

// Cuts the tokens of `length` bytes out of the text fragments.
void SpecialTokens::split(std::string_view text, size_t length, const std::vector<size_t>& candidates,
                          std::vector<Fragment>& fragments) const {
  std::vector<Fragment> result;
  result.reserve(fragments.size());
  auto candidate = candidates.begin();
  for (const Fragment& fragment : fragments) {
    if (fragment.id >= 0) {
      result.push_back(fragment);
      continue;
    }
    size_t done = fragment.begin;
    for (candidate = std::lower_bound(candidate, candidates.end(), done);
         candidate != candidates.end() && *candidate + length <= fragment.end; ++candidate) {
      const size_t begin = *candidate;
      if (begin < done) continue;
      const Entry* entry = find(text.substr(begin, length));
      if (entry == nullptr) continue;
      size_t left_end = begin;
      while (entry->strips_left && left_end > done && is_ascii_space(text[left_end - 1])) --left_end;
      if (left_end > done) result.push_back({-1, done, left_end});
      result.push_back({entry->id, begin, begin + length});
      done = begin + length;
      while (entry->strips_right && done < fragment.end && is_ascii_space(text[done])) ++done;
    }
    if (done < fragment.end) result.push_back({-1, done, fragment.end});
  }
  fragments = std::move(result);
}

}  // namespace ondol
