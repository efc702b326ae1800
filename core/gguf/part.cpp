#include "core/gguf/part.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <unordered_set>

#include "core/gguf/not_gguf.h"

namespace ondol::gguf {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in the file");

constexpr uint64_t kDefaultAlignment = 32;
constexpr uint64_t kMinAlignment = 8;              // the format page: a multiple of 8
constexpr int64_t kMinValueBytes = 8 + 1 + 4 + 1;  // key length, key, type, value
constexpr int64_t kMinTensorBytes =
    8 + 1 + 4 + 8 + 4 + 8;  // name length, name, count, dimension, type, offset

std::string number(uint64_t value) { return std::to_string(value); }

class PartParser {
 public:
  PartParser(std::span<const std::byte> bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Result<Part> parse() {
    ONDOL_RETURN_IF_ERROR(parse_header());
    ONDOL_RETURN_IF_ERROR(parse_values());
    ONDOL_RETURN_IF_ERROR(read_alignment());
    ONDOL_RETURN_IF_ERROR(parse_tensors());
    ONDOL_RETURN_IF_ERROR(place_tensors());
    ONDOL_RETURN_IF_ERROR(refuse_overlaps());
    return std::move(part_);
  }

 private:
  // --- reading ---

  uint64_t left() const { return bytes_.size() - position_; }

  // The next number, as it lies in the file; nothing when the file ends before its end.
  template <class T>
  bool take(T& out) {
    if (left() < sizeof(T)) return false;
    std::memcpy(&out, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return true;
  }

  bool take_view(uint64_t length, std::string_view& out) {
    if (left() < length) return false;
    out = {reinterpret_cast<const char*>(bytes_.data()) + position_, static_cast<size_t>(length)};
    position_ += length;
    return true;
  }

  template <class T>
  Result<T> take_number(const std::string& field) {
    T value{};
    if (!take(value)) return cut(field, position_, sizeof(T));
    return value;
  }

  Result<std::string_view> take_string(const std::string& field) {
    const uint64_t begin = position_;
    ONDOL_TRY(const auto length, take_number<uint64_t>("length of " + field));
    std::string_view text;
    if (!take_view(length, text)) return cut(field, begin, length);
    return text;
  }

  // --- errors ---

  Error malformed(const std::string& field, uint64_t offset, std::string message,
                  Code code = Code::kInvalidArgument) {
    return {code, std::move(message), name_ + ": " + field + " at offset " + number(offset)};
  }

  Error cut(const std::string& field, uint64_t offset, uint64_t bytes_needed) {
    return malformed(field, offset,
                     "needs at least " + number(bytes_needed) + " bytes, but the file ends after " +
                         number(left()) + " more (it has " + number(bytes_.size()) +
                         "): it is cut or damaged",
                     Code::kDataLoss);
  }

  // --- the passes ---

  Result<void> parse_header() {
    std::string_view magic;
    if (!take_view(4, magic) || magic != "GGUF") return malformed("magic", 0, describe_not_gguf(bytes_));
    ONDOL_TRY(const auto version, take_number<uint32_t>("version"));
    if (version != 0 && (version & 0xFFFF) == 0)
      return malformed("version", 4, "this is a big-endian GGUF file; only little-endian ones can be read",
                       Code::kUnsupported);
    if (version == 1)
      return malformed("version", 4, "this is GGUF version 1 of August 2023; convert the model anew",
                       Code::kUnsupported);
    if (version != 2 && version != 3)
      return malformed("version", 4,
                       "GGUF version " + number(version) + " is not known; versions 2 and 3 are",
                       Code::kUnsupported);
    ONDOL_TRY(tensor_count_, take_number<uint64_t>("tensor count"));
    ONDOL_TRY(value_count_, take_number<uint64_t>("metadata count"));
    ONDOL_RETURN_IF_ERROR(check_count("tensor count", 8, tensor_count_, kMinTensorBytes, kTensorsMax));
    return check_count("metadata count", 16, value_count_, kMinValueBytes, kValuesMax);
  }

  // `count` things of at least `bytes_each` must fit into what is left, before room is made for them.
  Result<void> check_count(const std::string& field, uint64_t offset, uint64_t count, uint64_t bytes_each,
                           uint64_t count_max) {
    if (count <= left() / bytes_each && count <= count_max) return {};
    if (count > count_max)
      return malformed(field, offset,
                       "is " + number(count) + "; at most " + number(count_max) + " are allowed");
    return malformed(field, offset,
                     "is " + number(count) + ", which takes at least " + number(count * bytes_each) +
                         " bytes, but only " + number(left()) + " are left (the file has " +
                         number(bytes_.size()) + "): it is cut or damaged",
                     Code::kDataLoss);
  }

  Result<void> parse_values() {
    std::unordered_set<std::string_view> keys;
    for (uint64_t i = 0; i < value_count_; ++i) {
      const std::string entry = "metadata entry " + number(i + 1) + " of " + number(value_count_);
      const uint64_t begin = position_;
      ONDOL_TRY(const std::string_view key, take_string("key of " + entry));
      if (key.empty()) return malformed("key of " + entry, begin, "is empty");
      if (key.size() > kKeyBytesMax)
        return malformed("key of " + entry, begin, "is longer than " + number(kKeyBytesMax) + " bytes");
      if (!keys.insert(key).second) return malformed("key " + quoted(key), begin, "is there twice");
      const std::string field = "value of " + quoted(key);
      ONDOL_TRY(const auto type, take_number<uint32_t>("type of " + quoted(key)));
      ONDOL_TRY(Value value, parse_value(field, type));
      if (key == "general.alignment") alignment_offset_ = begin;
      part_.values.emplace_back(key, std::move(value));
    }
    return {};
  }

  Result<Value> parse_value(const std::string& field, uint32_t type) {
    Value value;
    value.type = static_cast<ValueType>(type);
    switch (value.type) {
      case ValueType::kUint8: return parse_scalar<uint8_t, uint64_t>(field, std::move(value));
      case ValueType::kInt8: return parse_scalar<int8_t, int64_t>(field, std::move(value));
      case ValueType::kUint16: return parse_scalar<uint16_t, uint64_t>(field, std::move(value));
      case ValueType::kInt16: return parse_scalar<int16_t, int64_t>(field, std::move(value));
      case ValueType::kUint32: return parse_scalar<uint32_t, uint64_t>(field, std::move(value));
      case ValueType::kInt32: return parse_scalar<int32_t, int64_t>(field, std::move(value));
      case ValueType::kUint64: return parse_scalar<uint64_t, uint64_t>(field, std::move(value));
      case ValueType::kInt64: return parse_scalar<int64_t, int64_t>(field, std::move(value));
      case ValueType::kFloat32: return parse_scalar<float, double>(field, std::move(value));
      case ValueType::kFloat64: return parse_scalar<double, double>(field, std::move(value));
      case ValueType::kBool: {
        ONDOL_TRY(const auto byte, take_number<uint8_t>(field));
        if (byte > 1) return malformed(field, position_ - 1, "is " + number(byte) + ", not a bool (0 or 1)");
        value.data = byte == 1;
        return value;
      }
      case ValueType::kString: {
        ONDOL_TRY(value.data, take_string(field));
        return value;
      }
      case ValueType::kArray: return parse_array(field);
    }
    return malformed(field, position_, "has the value type " + number(type) + ", which does not exist");
  }

  template <class InFile, class Held>
  Result<Value> parse_scalar(const std::string& field, Value value) {
    ONDOL_TRY(const auto read, take_number<InFile>(field));
    value.data = static_cast<Held>(read);
    return value;
  }

  Result<Value> parse_array(const std::string& field) {
    const uint64_t begin = position_;
    ONDOL_TRY(const auto type, take_number<uint32_t>("element type of " + field));
    ONDOL_TRY(const auto count, take_number<uint64_t>("array length of " + field));
    Value value;
    value.type = ValueType::kArray;
    value.element_type = static_cast<ValueType>(type);
    switch (value.element_type) {
      case ValueType::kUint8: return parse_elements<uint8_t, uint64_t>(field, count, std::move(value));
      case ValueType::kInt8: return parse_elements<int8_t, int64_t>(field, count, std::move(value));
      case ValueType::kUint16: return parse_elements<uint16_t, uint64_t>(field, count, std::move(value));
      case ValueType::kInt16: return parse_elements<int16_t, int64_t>(field, count, std::move(value));
      case ValueType::kUint32: return parse_elements<uint32_t, uint64_t>(field, count, std::move(value));
      case ValueType::kInt32: return parse_elements<int32_t, int64_t>(field, count, std::move(value));
      case ValueType::kUint64: return parse_elements<uint64_t, uint64_t>(field, count, std::move(value));
      case ValueType::kInt64: return parse_elements<int64_t, int64_t>(field, count, std::move(value));
      case ValueType::kFloat32: return parse_elements<float, double>(field, count, std::move(value));
      case ValueType::kFloat64: return parse_elements<double, double>(field, count, std::move(value));
      case ValueType::kBool: return parse_elements<uint8_t, bool>(field, count, std::move(value));
      case ValueType::kString: return parse_strings(field, count, std::move(value));
      case ValueType::kArray:
        return malformed(field, begin, "is an array of arrays, which is not supported", Code::kUnsupported);
    }
    return malformed(field, begin, "has the element type " + number(type) + ", which does not exist");
  }

  template <class InFile, class Held>
  Result<Value> parse_elements(const std::string& field, uint64_t count, Value value) {
    ONDOL_RETURN_IF_ERROR(
        check_count("array length of " + field, position_ - 8, count, sizeof(InFile), kArrayElementsMax));
    std::vector<Held> elements(static_cast<size_t>(count));
    for (size_t i = 0; i < count; ++i) {
      InFile element{};
      take(element);  // it is there: the count was checked
      if constexpr (std::is_same_v<Held, bool>) {
        if (element > 1)
          return malformed(field, position_ - 1, "element " + number(i) + " is not a bool (0 or 1)");
        elements[i] = element == 1;
      } else {
        elements[i] = static_cast<Held>(element);
      }
    }
    value.data = std::move(elements);
    return value;
  }

  Result<Value> parse_strings(const std::string& field, uint64_t count, Value value) {
    ONDOL_RETURN_IF_ERROR(
        check_count("array length of " + field, position_ - 8, count, 8, kArrayElementsMax));
    std::vector<std::string_view> strings(static_cast<size_t>(count));
    for (size_t i = 0; i < count; ++i) {
      const uint64_t begin = position_;
      uint64_t length = 0;
      if (!take(length)) return cut("length of element " + number(i) + " of " + field, begin, 8);
      if (!take_view(length, strings[i])) return cut("element " + number(i) + " of " + field, begin, length);
    }
    value.data = std::move(strings);
    return value;
  }

  Result<void> read_alignment() {
    for (const auto& [key, value] : part_.values) {
      if (key != "general.alignment") continue;
      if (value.type != ValueType::kUint32)
        return malformed("\"general.alignment\"", alignment_offset_,
                         "has the wrong type: it must be a uint32");
      alignment_ = std::get<uint64_t>(value.data);
      if (alignment_ < kMinAlignment || !std::has_single_bit(alignment_))
        return malformed("\"general.alignment\"", alignment_offset_,
                         "is " + number(alignment_) + "; it must be a power of two and at least 8");
    }
    return {};
  }

  Result<void> parse_tensors() {
    std::unordered_set<std::string_view> names;
    for (uint64_t i = 0; i < tensor_count_; ++i) {
      const uint64_t begin = position_;
      const std::string entry = "name of tensor " + number(i + 1) + " of " + number(tensor_count_);
      ONDOL_TRY(const std::string_view name, take_string(entry));
      if (name.empty()) return malformed(entry, begin, "is empty");
      if (!names.insert(name).second) return malformed("tensor " + quoted(name), begin, "is there twice");
      Tensor tensor;
      tensor.name = name;
      const std::string field = "tensor " + quoted(name);
      ONDOL_TRY(tensor.shape, parse_shape(field));
      const uint64_t type_offset = position_;
      ONDOL_TRY(const auto type, take_number<uint32_t>("type of " + field));
      tensor.type = static_cast<kernels::DType>(type);
      ONDOL_RETURN_IF_ERROR(check_type(field, type_offset, type));
      ONDOL_RETURN_IF_ERROR(check_size(field, begin, tensor));
      const uint64_t offset_offset = position_;
      ONDOL_TRY(const auto offset, take_number<uint64_t>("data offset of " + field));
      if (offset % alignment_ != 0)
        return malformed("data offset of " + field, offset_offset,
                         "is " + number(offset) + ", not a multiple of the alignment " + number(alignment_));
      part_.tensors.push_back(std::move(tensor));
      data_offsets_.push_back(offset);
    }
    return {};
  }

  Result<std::vector<int64_t>> parse_shape(const std::string& field) {
    const uint64_t begin = position_;
    ONDOL_TRY(const auto count, take_number<uint32_t>("dimension count of " + field));
    if (count < 1 || count > kDimensionsMax)
      return malformed(
          "dimension count of " + field, begin,
          "is " + number(count) + "; a tensor has 1 to " + number(kDimensionsMax) + " dimensions");
    std::vector<int64_t> shape;
    int64_t elements = 1;
    for (uint32_t i = 0; i < count; ++i) {
      const std::string dimension = "dimension " + number(i) + " of " + field;
      const uint64_t offset = position_;
      ONDOL_TRY(const auto length, take_number<uint64_t>(dimension));
      if (length == 0) return malformed(dimension, offset, "is zero");
      if (length > std::numeric_limits<int64_t>::max() ||
          __builtin_mul_overflow(elements, static_cast<int64_t>(length), &elements))
        return malformed(dimension, offset,
                         "is " + number(length) + ": the tensor has more elements than can be");
      shape.push_back(static_cast<int64_t>(length));
    }
    return shape;
  }

  Result<void> check_type(const std::string& field, uint64_t offset, uint32_t type) {
    if (kernels::dtype_traits(static_cast<kernels::DType>(type)) != nullptr) return {};
    const std::string_view name = unsupported_type_name(type);
    if (name.empty())
      return malformed("type of " + field, offset, "is the number " + number(type) + ", which is not known",
                       Code::kUnsupported);
    return malformed("type of " + field, offset, "is " + std::string(name) + ", which is not supported",
                     Code::kUnsupported);
  }

  // Types that files in use have and that dtype.h does not.
  static std::string_view unsupported_type_name(uint32_t type) {
    switch (type) {
      case 9: return "Q8_1";
      case 15: return "Q8_K";
      case 16: return "IQ2_XXS";
      case 17: return "IQ2_XS";
      case 18: return "IQ3_XXS";
      case 19: return "IQ1_S";
      case 21: return "IQ3_S";
      case 22: return "IQ2_S";
      case 29: return "IQ1_M";
      case 34: return "TQ1_0";
      case 35: return "TQ2_0";
      case 39: return "MXFP4";
      default: return {};
    }
  }

  Result<void> check_size(const std::string& field, uint64_t offset, const Tensor& tensor) {
    const kernels::DTypeTraits& traits = *kernels::dtype_traits(tensor.type);
    if (tensor.shape[0] % traits.block_elements != 0)
      return malformed(field, offset,
                       "has rows of " + std::to_string(tensor.shape[0]) +
                           " elements, not a whole number of " + std::string(traits.name) + " blocks of " +
                           std::to_string(traits.block_elements));
    int64_t bytes = 0;
    if (__builtin_mul_overflow(tensor.elements() / traits.block_elements, traits.block_bytes, &bytes))
      return malformed(field, offset, "takes more bytes than can be");
    return {};
  }

  Result<void> place_tensors() {
    const uint64_t data_begin = (position_ + alignment_ - 1) / alignment_ * alignment_;
    const uint64_t bytes_max = std::numeric_limits<int64_t>::max();
    uint64_t expected_bytes = 0;
    uint64_t last_begin = 0;
    const Tensor* last = nullptr;
    for (size_t i = 0; i < part_.tensors.size(); ++i) {
      Tensor& tensor = part_.tensors[i];
      const auto tensor_bytes = static_cast<uint64_t>(kernels::dtype_bytes(tensor.type, tensor.elements()));
      if (data_offsets_[i] > bytes_max - data_begin ||
          tensor_bytes > bytes_max - data_begin - data_offsets_[i])
        return malformed("data of tensor " + quoted(tensor.name), data_begin,
                         "would begin " + number(data_offsets_[i]) + " bytes later, beyond any file");
      const uint64_t begin = data_begin + data_offsets_[i];
      if (begin + tensor_bytes > expected_bytes) {
        expected_bytes = begin + tensor_bytes;
        last_begin = begin;
        last = &tensor;
      }
      if (expected_bytes <= bytes_.size())
        tensor.bytes = bytes_.subspan(static_cast<size_t>(begin), static_cast<size_t>(tensor_bytes));
    }
    if (expected_bytes > bytes_.size())
      return malformed("data of tensor " + quoted(last->name), last_begin,
                       "ends at byte " + number(expected_bytes) + ", so the file should have at least " +
                           number(expected_bytes) + " bytes, but it has " + number(bytes_.size()) +
                           ": it is cut (is it still being copied or downloaded?) or damaged",
                       Code::kDataLoss);
    return {};
  }

  Result<void> refuse_overlaps() {
    std::vector<const Tensor*> by_place;
    by_place.reserve(part_.tensors.size());
    for (const Tensor& tensor : part_.tensors) by_place.push_back(&tensor);
    std::sort(by_place.begin(), by_place.end(),
              [](const Tensor* a, const Tensor* b) { return a->bytes.data() < b->bytes.data(); });
    for (size_t i = 1; i < by_place.size(); ++i) {
      const Tensor& before = *by_place[i - 1];
      const Tensor& tensor = *by_place[i];
      if (before.bytes.data() + before.bytes.size() > tensor.bytes.data())
        return malformed("data of tensor " + quoted(tensor.name),
                         static_cast<uint64_t>(tensor.bytes.data() - bytes_.data()),
                         "begins inside the data of tensor " + quoted(before.name));
    }
    return {};
  }

  std::span<const std::byte> bytes_;
  const std::string& name_;
  uint64_t position_ = 0;  // <= bytes_.size()
  uint64_t tensor_count_ = 0;
  uint64_t value_count_ = 0;
  uint64_t alignment_ = kDefaultAlignment;
  uint64_t alignment_offset_ = 0;       // of the key, for messages
  std::vector<uint64_t> data_offsets_;  // by tensor, from the begin of the data
  Part part_;
};

}  // namespace

Result<Part> parse_part(std::span<const std::byte> bytes, const std::string& name) {
  return PartParser(bytes, name).parse();
}

std::string quoted(std::string_view text) {
  constexpr size_t kShownBytes = 80;
  std::string shown = "\"";
  for (const char c : text.substr(0, kShownBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    shown += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  return shown + (text.size() > kShownBytes ? "…\"" : "\"");
}

}  // namespace ondol::gguf
