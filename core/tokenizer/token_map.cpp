#include "core/tokenizer/token_map.h"

#include <bit>
#include <cstring>

#include "core/base/check.h"

namespace ondol {
namespace {

uint32_t hash_of(std::string_view key) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;
  uint64_t hash = key.size() * kMultiplier;
  while (key.size() >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, key.data(), 8);
    hash = std::rotl(hash ^ word, 29) * kMultiplier;
    key.remove_prefix(8);
  }
  uint64_t word = 0;
  std::memcpy(&word, key.data(), key.size());
  hash = (hash ^ word) * kMultiplier;
  hash ^= hash >> 32;
  return static_cast<uint32_t>((hash * kMultiplier) >> 32);
}

}  // namespace

TokenMap::TokenMap(size_t keys_max) : slots_(std::bit_ceil(keys_max * 2 + 2)) {}

size_t TokenMap::locate(std::string_view key, uint32_t hash) const {
  size_t at = hash & (slots_.size() - 1);
  while (slots_[at].id >= 0) {
    const Slot& slot = slots_[at];
    if (slot.hash == hash && std::string_view(slot.data, slot.bytes) == key) break;
    at = (at + 1) & (slots_.size() - 1);
  }
  return at;
}

void TokenMap::set(std::string_view key, int32_t id) {
  CHECK(id >= 0 && !slots_.empty());
  const uint32_t hash = hash_of(key);
  slots_[locate(key, hash)] = {key.data(), static_cast<uint32_t>(key.size()), hash, id};
  bytes_max_ = std::max(bytes_max_, key.size());
}

int32_t TokenMap::find(std::string_view key) const {
  if (slots_.empty() || key.size() > bytes_max_) return -1;
  return slots_[locate(key, hash_of(key))].id;
}

}  // namespace ondol
