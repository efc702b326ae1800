// Builds GGUF files, versions 2 and 3, single or split: for tests, and for what writes models.
// Format: as reader.h. Lifetime: the writer copies what it is given. Threads: one at a time.
//
//   Writer writer;
//   writer.add("general.architecture", "llama");
//   writer.add("llama.block_count", uint32_t{2});
//   writer.add("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b"});
//   writer.add_tensor("output_norm.weight", DType::kF32, {64}, as_bytes(span(norm)));
//   ONDOL_RETURN_IF_ERROR(writer.write(files, path));
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/gguf/reader.h"
#include "kernels/base/dtype.h"

namespace ondol::gguf {

class Writer {
 public:
  // version: 2 or 3. alignment: a power of two, at least 8; written as metadata when it is not 32.
  explicit Writer(uint32_t version = 3, uint32_t alignment = 32);

  // Metadata in the order of the calls. The value's C++ type is its type in the file: uint32_t{1} is
  // a uint32, 1.0F a float32, true a bool. Keys must not be empty nor repeated.
  template <class T>
  requires std::is_arithmetic_v<T> Writer& add(std::string_view key, T value) {
    return add_encoded(key, type_of<T>(), encoded(value));
  }
  Writer& add(std::string_view key, std::string_view value);
  Writer& add(std::string_view key, const char* value) { return add(key, std::string_view(value)); }
  Writer& add(std::string_view key, const std::string& value) { return add(key, std::string_view(value)); }
  template <class T>
  requires std::is_arithmetic_v<T> Writer& add(std::string_view key, const std::vector<T>& values) {
    std::string bytes;
    for (const T value : values) bytes += encoded(value);
    return add_array(key, type_of<T>(), values.size(), bytes);
  }
  Writer& add(std::string_view key, const std::vector<std::string>& values);
  Writer& add(std::string_view key, const std::vector<std::string_view>& values);
  // A value of another file, with its type.
  Writer& add(std::string_view key, const Value& value);

  // A tensor; shape[0] is the row length. bytes.size() must be what type and shape take.
  Writer& add_tensor(std::string_view name, kernels::DType type, std::vector<int64_t> shape,
                     std::span<const std::byte> bytes);

  // The whole file. The last tensor is padded to the alignment too, as other writers do.
  std::string to_bytes() const;
  Result<void> write(FileSystem& files, const std::string& path) const;
  // In parts of at most `tensors_max` tensors each: "<stem>-00001-of-00003.gguf" and so on. Gives their
  // paths. All metadata is in the first part, as gguf-split does.
  Result<std::vector<std::string>> write_split(FileSystem& files, const std::string& stem,
                                               size_t tensors_max) const;

 private:
  struct OwnedTensor {
    std::string name;
    kernels::DType type;
    std::vector<int64_t> shape;
    std::vector<std::byte> bytes;
  };

  template <class T>
  static constexpr ValueType type_of() {
    if constexpr (std::is_same_v<T, bool>)
      return ValueType::kBool;
    else if constexpr (std::is_floating_point_v<T>) {
      static_assert(sizeof(T) == 4 || sizeof(T) == 8);
      return sizeof(T) == 4 ? ValueType::kFloat32 : ValueType::kFloat64;
    } else {
      constexpr bool is_signed = std::is_signed_v<T>;
      switch (sizeof(T)) {
        case 1: return is_signed ? ValueType::kInt8 : ValueType::kUint8;
        case 2: return is_signed ? ValueType::kInt16 : ValueType::kUint16;
        case 4: return is_signed ? ValueType::kInt32 : ValueType::kUint32;
        default: return is_signed ? ValueType::kInt64 : ValueType::kUint64;
      }
    }
  }
  template <class T>
  static std::string encoded(T value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  }
  static std::string encoded_string(std::string_view text);
  static std::string encoded_as(ValueType type, uint64_t bits);

  Writer& add_encoded(std::string_view key, ValueType type, const std::string& bytes);
  Writer& add_array(std::string_view key, ValueType type, uint64_t count, const std::string& bytes);
  std::string assembled(const std::string& values, uint64_t value_count,
                        std::span<const OwnedTensor> tensors) const;

  uint32_t version_;
  uint32_t alignment_;
  std::vector<std::string> keys_;
  std::string values_;  // encoded
  std::vector<OwnedTensor> tensors_;
};

}  // namespace ondol::gguf
