// For tests: GGUF bytes put together by hand, so that every field can be wrong. It checks nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/gguf/reader.h"

namespace ondol::gguf {

class CraftedFile {
 public:
  template <class T>
  CraftedFile& put(T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  CraftedFile& text(std::string_view value) {
    put(static_cast<uint64_t>(value.size()));
    bytes.append(value);
    return *this;
  }
  CraftedFile& header(uint64_t tensor_count, uint64_t value_count, uint32_t version = 3) {
    bytes.append("GGUF");
    return put(version).put(tensor_count).put(value_count);
  }
  CraftedFile& key(std::string_view name, ValueType type) {
    return text(name).put(static_cast<uint32_t>(type));
  }
  CraftedFile& array(std::string_view name, uint32_t element_type, uint64_t count) {
    return key(name, ValueType::kArray).put(element_type).put(count);
  }
  CraftedFile& tensor(std::string_view name, const std::vector<uint64_t>& shape, uint32_t type = 0,
                      uint64_t offset = 0) {
    text(name).put(static_cast<uint32_t>(shape.size()));
    for (const uint64_t length : shape) put(length);
    return put(type).put(offset);
  }
  // Pads to the alignment, then `count` bytes of tensor data.
  CraftedFile& data(size_t count, size_t alignment = 32) {
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    bytes.append(count, '\x01');
    return *this;
  }
  std::span<const std::byte> view() const { return std::as_bytes(std::span(bytes)); }

  std::string bytes;
};

}  // namespace ondol::gguf
