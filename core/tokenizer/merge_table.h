// Which pairs of symbols merge, how early, and into what: a hash table built once. Any thread may look up.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/check.h"

namespace ondol {

struct Merge {
  static constexpr uint32_t kNoRank = std::numeric_limits<uint32_t>::max();
  uint32_t rank = kNoRank;  // smaller merges first; kNoRank: the pair does not merge
  int32_t result = -1;
};

class MergeTable {
 public:
  MergeTable() = default;
  explicit MergeTable(size_t merges_max) : slots_(std::bit_ceil(merges_max * 2 + 2)) {}

  // The first rank given to a pair stays. Symbols are not negative.
  void add(int32_t left, int32_t right, Merge merge) {
    ONDOL_CHECK(left >= 0 && right >= 0 && merge.rank != Merge::kNoRank);
    Slot& slot = slots_[locate(key_of(left, right))];
    if (slot.merge.rank == Merge::kNoRank) slot = {key_of(left, right), merge};
  }

  // A symbol of -1 (a character that no token has) merges with nothing.
  Merge find(int32_t left, int32_t right) const {
    if (left < 0 || right < 0) return {};
    return slots_[locate(key_of(left, right))].merge;
  }

 private:
  struct Slot {
    uint64_t key = 0;
    Merge merge;
  };
  static uint64_t key_of(int32_t left, int32_t right) {
    return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
  }
  size_t locate(uint64_t key) const {
    size_t at = ((key ^ key >> 29) * 0x9E3779B97F4A7C15) >> 32 & (slots_.size() - 1);
    while (slots_[at].merge.rank != Merge::kNoRank && slots_[at].key != key)
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(2);
};

}  // namespace ondol
