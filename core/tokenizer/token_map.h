// A fixed hash map from byte strings to token ids, built once: open addressing, no deletion. The strings
// are not owned and must outlive the map. Immutable after building: any thread may look up.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ondol {

class TokenMap {
 public:
  TokenMap() = default;
  explicit TokenMap(size_t keys_max);

  // Adds `key` or, if it is there, gives it the new id.
  void set(std::string_view key, int32_t id);
  // The id of `key`, or -1.
  int32_t find(std::string_view key) const;

 private:
  struct Slot {
    const char* data = nullptr;
    uint32_t bytes = 0;
    uint32_t hash = 0;
    int32_t id = -1;  // -1: the slot is free
  };
  size_t locate(std::string_view key, uint32_t hash) const;

  std::vector<Slot> slots_;  // a power of two, at least twice the keys
  size_t bytes_max_ = 0;     // of the longest key: longer strings are not looked up
};

}  // namespace ondol
