// Reads and checks GGUF files, versions 2 and 3, little-endian, single or split.
// Everything a file says is checked against its length before anything is allocated; after open()
// succeeded every tensor lies inside its file. Format: the GGUF page of ggml's documentation.
// Lifetime: tensor bytes and string views live as long as the File. Threads: immutable after open().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "kernels/base/dtype.h"

namespace ondol::gguf {

enum class ValueType : uint32_t {
  kUint8 = 0, kInt8 = 1, kUint16 = 2, kInt16 = 3, kUint32 = 4, kInt32 = 5, kFloat32 = 6, kBool = 7,
  kString = 8, kArray = 9, kUint64 = 10, kInt64 = 11, kFloat64 = 12,
};

// One metadata value. Integers of every width are held as int64/uint64, floats as double.
// Arrays hold one element type; nested arrays are refused (no model file in use has them).
struct Value {
  ValueType type = ValueType::kUint32;          // of the value, or kArray
  ValueType element_type = ValueType::kUint32;  // of an array's elements
  std::variant<uint64_t, int64_t, double, bool, std::string_view, std::vector<uint64_t>, std::vector<int64_t>,
               std::vector<double>, std::vector<bool>, std::vector<std::string_view>>
      data;
};

struct Tensor {
  std::string_view name;
  kernels::DType type = kernels::DType::kF32;
  std::vector<int64_t> shape;  // as in the file: shape[0] is the row length (fastest), at most 4, none zero
  std::span<const std::byte> bytes;
  int64_t elements() const;
};

class File {
 public:
  // Opens `path` (of a split model: its first part; the others are found beside it).
  // Errors: kNotFound, kIo, kDataLoss (cut; says expected and real size), kInvalidArgument (malformed;
  // `where` is "path: field at offset N"), kUnsupported (version, tensor type).
  static Result<std::unique_ptr<File>> open(FileSystem& files, const std::string& path);
  // The same from memory (tests, fuzzing); `bytes` must outlive the File. Single files only.
  static Result<std::unique_ptr<File>> parse(std::span<const std::byte> bytes, const std::string& name);

  const Value* find(std::string_view key) const;
  const Tensor* tensor(std::string_view name) const;
  std::span<const Tensor> tensors() const { return tensors_; }
  const std::vector<std::pair<std::string_view, Value>>& values() const { return values_; }
  int64_t bytes_total() const { return bytes_total_; }
  const std::string& path() const { return path_; }

  // Typed access: kNotFound if the key is missing, kInvalidArgument if it has another type or does not
  // fit. Integers accept every integer width; real() accepts floats and integers.
  Result<int64_t> integer(std::string_view key) const;
  Result<double> real(std::string_view key) const;
  Result<bool> boolean(std::string_view key) const;
  Result<std::string_view> string(std::string_view key) const;
  Result<std::vector<int64_t>> integers(std::string_view key) const;  // an array, or one integer as array of 1
  Result<std::vector<double>> reals(std::string_view key) const;
  Result<std::vector<std::string_view>> strings(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }

  // False once the file under the mapping was cut, rewritten or replaced since open() (stat of each
  // part); the caller must stop using mapped bytes then.
  bool unchanged(FileSystem& files) const;

 private:
  File() = default;
  friend class Parser;
  std::string path_;
  int64_t bytes_total_ = 0;
  std::vector<std::unique_ptr<ReadFile>> parts_;
  std::vector<std::string> part_paths_;
  std::vector<std::pair<std::string_view, Value>> values_;
  std::vector<Tensor> tensors_;
  std::unordered_map<std::string_view, size_t> value_index_;
  std::unordered_map<std::string_view, size_t> tensor_index_;
};

}  // namespace ondol::gguf
