// Reads and checks GGUF files, versions 2 and 3, little-endian, single or split.
// Everything a file says is checked against its length before anything is allocated; after open()
// succeeded every tensor lies inside its file, whole, aligned, and shares no byte with another one.
// Format: the GGUF page of ggml's documentation (docs/gguf.md); split files as llama.cpp's gguf-split writes
// them. Lifetime: tensor bytes and string views live as long as the File. Threads: immutable after open().
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

// Limits beyond any model in use; they bound what a crafted file can make us allocate.
inline constexpr int64_t kValuesMax = 1 << 16;
inline constexpr int64_t kTensorsMax = 1 << 20;
inline constexpr int64_t kArrayElementsMax = 1 << 24;
inline constexpr int64_t kKeyBytesMax = 65535;  // the format's own limit
inline constexpr int64_t kDimensionsMax = 4;
inline constexpr int64_t kPartsMax = 99999;  // five digits in a part's name

enum class ValueType : uint32_t {
  kUint8 = 0,
  kInt8 = 1,
  kUint16 = 2,
  kInt16 = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kUint64 = 10,
  kInt64 = 11,
  kFloat64 = 12,
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

struct Part;  // part.h

class File {
 public:
  // Opens `path` (of a split model: its first part; the others are found beside it).
  // Errors: kNotFound (also a missing part, named), kIo, kDataLoss (cut; says expected and real size),
  // kInvalidArgument (malformed; `where` is "path: field at offset N"), kUnsupported (version, tensor type,
  // nested arrays). Values are those of the first part; tensors those of all parts, in order.
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
  // fit; `where` is "path: key". Integers accept every integer width; real() accepts floats and integers;
  // integers() accepts arrays of bool as 0 and 1.
  Result<int64_t> integer(std::string_view key) const;
  Result<double> real(std::string_view key) const;
  Result<bool> boolean(std::string_view key) const;
  Result<std::string_view> string(std::string_view key) const;
  Result<std::vector<int64_t>> integers(
      std::string_view key) const;  // an array, or one integer as array of 1
  Result<std::vector<double>> reals(std::string_view key) const;
  Result<std::vector<std::string_view>> strings(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }

  // False once the file under the mapping was cut, rewritten or replaced since open() (stat of each
  // part); the caller must stop using mapped bytes then.
  bool unchanged(FileSystem& files) const;

  // A hint that all tensors will be read soon; the system starts to fetch them. Reading metadata alone
  // (a list of models) should not call it.
  void will_need() const;

 private:
  File() = default;
  Result<Part> load_part(FileSystem& files, const std::string& path);
  Result<void> add_first_part(Part part);
  Result<void> load_other_parts(FileSystem& files, const std::string& stem, int64_t parts);
  Result<void> add_tensors(std::vector<Tensor> tensors, const std::string& part_path);
  Result<const Value*> existing(std::string_view key) const;
  Error wrong_value(std::string_view key, std::string message) const;
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
