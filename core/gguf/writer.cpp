#include "core/gguf/writer.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <variant>

#include "core/base/check.h"

namespace ondol::gguf {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

Writer::Writer(uint32_t version, uint32_t alignment) : version_(version), alignment_(alignment) {
  CHECK(version == 2 || version == 3);
  CHECK(alignment >= 8 && std::has_single_bit(alignment));
  if (alignment != 32) add("general.alignment", alignment);
}

std::string Writer::encoded_string(std::string_view text) {
  return encoded(static_cast<uint64_t>(text.size())).append(text);
}

// The low bytes of `bits`, as many as an integer of `type` takes.
std::string Writer::encoded_as(ValueType type, uint64_t bits) {
  const std::string all = encoded(bits);
  switch (type) {
    case ValueType::kUint8:
    case ValueType::kInt8: return all.substr(0, 1);
    case ValueType::kUint16:
    case ValueType::kInt16: return all.substr(0, 2);
    case ValueType::kUint32:
    case ValueType::kInt32: return all.substr(0, 4);
    default: return all;
  }
}

Writer& Writer::add_encoded(std::string_view key, ValueType type, const std::string& bytes) {
  CHECK(!key.empty());
  CHECK(std::find(keys_.begin(), keys_.end(), key) == keys_.end());
  keys_.emplace_back(key);
  values_ += encoded_string(key) + encoded(static_cast<uint32_t>(type)) + bytes;
  return *this;
}

Writer& Writer::add_array(std::string_view key, ValueType type, uint64_t count, const std::string& bytes) {
  return add_encoded(key, ValueType::kArray, encoded(static_cast<uint32_t>(type)) + encoded(count) + bytes);
}

Writer& Writer::add(std::string_view key, std::string_view value) {
  return add_encoded(key, ValueType::kString, encoded_string(value));
}

Writer& Writer::add(std::string_view key, const std::vector<std::string_view>& values) {
  std::string bytes;
  for (const std::string_view value : values) bytes += encoded_string(value);
  return add_array(key, ValueType::kString, values.size(), bytes);
}

Writer& Writer::add(std::string_view key, const std::vector<std::string>& values) {
  return add(key, std::vector<std::string_view>(values.begin(), values.end()));
}

Writer& Writer::add(std::string_view key, const Value& value) {
  const ValueType type = value.type == ValueType::kArray ? value.element_type : value.type;
  const auto encode_one = [type](const auto& element) -> std::string {
    using T = std::remove_cvref_t<decltype(element)>;
    if constexpr (std::is_same_v<T, std::string_view>) {
      return encoded_string(element);
    } else if constexpr (std::is_same_v<T, bool>) {
      return encoded(element);
    } else if constexpr (std::is_same_v<T, double>) {
      return type == ValueType::kFloat32 ? encoded(static_cast<float>(element)) : encoded(element);
    } else {
      return encoded_as(type, static_cast<uint64_t>(element));
    }
  };
  return std::visit(
      [&](const auto& data) -> Writer& {
        if constexpr (requires { data.begin(); } &&
                      !std::is_same_v<std::remove_cvref_t<decltype(data)>, std::string_view>) {
          using Element = typename std::remove_cvref_t<decltype(data)>::value_type;
          std::string bytes;
          for (const Element element : data) bytes += encode_one(element);
          return add_array(key, type, data.size(), bytes);
        } else {
          return add_encoded(key, type, encode_one(data));
        }
      },
      value.data);
}

Writer& Writer::add_tensor(std::string_view name, kernels::DType type, std::vector<int64_t> shape,
                           std::span<const std::byte> bytes) {
  CHECK(!name.empty());
  CHECK(!shape.empty() && shape.size() <= static_cast<size_t>(kDimensionsMax));
  const kernels::DTypeTraits* traits = kernels::dtype_traits(type);
  CHECK(traits != nullptr);
  CHECK(shape[0] % traits->block_elements == 0);
  int64_t elements = 1;
  for (const int64_t length : shape) elements *= length;
  CHECK(elements > 0);
  CHECK(bytes.size() == static_cast<size_t>(kernels::dtype_bytes(type, elements)));
  for (const OwnedTensor& other : tensors_) CHECK(other.name != name);
  tensors_.push_back({std::string(name), type, std::move(shape), {bytes.begin(), bytes.end()}});
  return *this;
}

std::string Writer::assembled(const std::string& values, uint64_t value_count,
                              std::span<const OwnedTensor> tensors) const {
  const auto padded = [this](size_t length) { return (length + alignment_ - 1) / alignment_ * alignment_; };
  std::string file =
      "GGUF" + encoded(version_) + encoded(uint64_t{tensors.size()}) + encoded(value_count) + values;
  uint64_t offset = 0;
  for (const OwnedTensor& tensor : tensors) {
    file += encoded_string(tensor.name) + encoded(static_cast<uint32_t>(tensor.shape.size()));
    for (const int64_t length : tensor.shape) file += encoded(length);
    file += encoded(static_cast<uint32_t>(tensor.type)) + encoded(offset);
    offset += padded(tensor.bytes.size());
  }
  if (tensors.empty()) return file;
  file.reserve(padded(file.size()) + offset);
  file.resize(padded(file.size()));
  for (const OwnedTensor& tensor : tensors) {
    file.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    file.resize(padded(file.size()));
  }
  return file;
}

std::string Writer::to_bytes() const { return assembled(values_, keys_.size(), tensors_); }

Result<void> Writer::write(FileSystem& files, const std::string& path) const {
  const std::string content = to_bytes();
  return files.write_atomically(path, std::as_bytes(std::span(content)));
}

Result<std::vector<std::string>> Writer::write_split(FileSystem& files, const std::string& stem,
                                                     size_t tensors_max) const {
  CHECK(tensors_max >= 1);
  const size_t parts = std::max<size_t>(1, (tensors_.size() + tensors_max - 1) / tensors_max);
  CHECK(parts <= 65535);  // the numbers are uint16 in the file
  std::vector<std::string> paths;
  for (size_t i = 0; i < parts; ++i) {
    Writer split(version_, alignment_);
    if (i == 0) {
      split.keys_ = keys_;
      split.values_ = values_;
    }
    split.add("split.no", static_cast<uint16_t>(i));
    split.add("split.count", static_cast<uint16_t>(parts));
    split.add("split.tensors.count", static_cast<int32_t>(tensors_.size()));
    const auto tensors = std::span(tensors_).subspan(i * tensors_max);
    const std::string content =
        assembled(split.values_, split.keys_.size(), tensors.first(std::min(tensors.size(), tensors_max)));
    char suffix[64];
    std::snprintf(suffix, sizeof suffix, "-%05zu-of-%05zu.gguf", i + 1, parts);
    paths.push_back(stem + suffix);
    ONDOL_RETURN_IF_ERROR(files.write_atomically(paths.back(), std::as_bytes(std::span(content))));
  }
  return paths;
}

}  // namespace ondol::gguf
