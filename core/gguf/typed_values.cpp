// Typed access to a file's metadata.
#include <limits>
#include <type_traits>

#include "core/gguf/part.h"
#include "core/gguf/reader.h"

namespace ondol::gguf {
namespace {

std::string_view type_name(ValueType type) {
  switch (type) {
    case ValueType::kUint8: return "uint8";
    case ValueType::kInt8: return "int8";
    case ValueType::kUint16: return "uint16";
    case ValueType::kInt16: return "int16";
    case ValueType::kUint32: return "uint32";
    case ValueType::kInt32: return "int32";
    case ValueType::kFloat32: return "float32";
    case ValueType::kBool: return "bool";
    case ValueType::kString: return "string";
    case ValueType::kArray: return "array";
    case ValueType::kUint64: return "uint64";
    case ValueType::kInt64: return "int64";
    case ValueType::kFloat64: return "float64";
  }
  return "unknown";
}

std::string described(const Value& value) {
  if (value.type != ValueType::kArray) return std::string(type_name(value.type));
  return "array of " + std::string(type_name(value.element_type));
}

std::string mismatch(const Value& value, std::string_view expected) {
  return "is of type " + described(value) + ", but must be " + std::string(expected);
}

constexpr std::string_view kTooLarge = "does not fit into a signed 64-bit integer";

bool fits(uint64_t number) { return number <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()); }

}  // namespace

Error File::wrong_value(std::string_view key, std::string message) const {
  return {Code::kInvalidArgument, std::move(message), path_ + ": " + std::string(key)};
}

Result<const Value*> File::existing(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return Error{Code::kNotFound, "is missing", path_ + ": " + std::string(key)};
  return value;
}

Result<int64_t> File::integer(std::string_view key) const {
  ONDOL_TRY(const Value* value, existing(key));
  if (const auto* number = std::get_if<int64_t>(&value->data)) return *number;
  const auto* number = std::get_if<uint64_t>(&value->data);
  if (number == nullptr) return wrong_value(key, mismatch(*value, "an integer"));
  if (!fits(*number)) return wrong_value(key, std::string(kTooLarge));
  return static_cast<int64_t>(*number);
}

Result<double> File::real(std::string_view key) const {
  ONDOL_TRY(const Value* value, existing(key));
  if (const auto* number = std::get_if<double>(&value->data)) return *number;
  if (const auto* number = std::get_if<int64_t>(&value->data)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<uint64_t>(&value->data)) return static_cast<double>(*number);
  return wrong_value(key, mismatch(*value, "a number"));
}

Result<bool> File::boolean(std::string_view key) const {
  ONDOL_TRY(const Value* value, existing(key));
  if (const auto* truth = std::get_if<bool>(&value->data)) return *truth;
  return wrong_value(key, mismatch(*value, "a bool"));
}

Result<std::string_view> File::string(std::string_view key) const {
  ONDOL_TRY(const Value* value, existing(key));
  if (const auto* text = std::get_if<std::string_view>(&value->data)) return *text;
  return wrong_value(key, mismatch(*value, "a string"));
}

Result<std::vector<int64_t>> File::integers(std::string_view key) const {
  ONDOL_TRY(const Value* value, existing(key));
  if (value->type != ValueType::kArray) {
    ONDOL_TRY(const int64_t number, integer(key));
    return std::vector<int64_t>{number};
  }
  if (const auto* numbers = std::get_if<std::vector<int64_t>>(&value->data)) return *numbers;
  if (const auto* truths = std::get_if<std::vector<bool>>(&value->data))
    return std::vector<int64_t>(truths->begin(), truths->end());
  const auto* numbers = std::get_if<std::vector<uint64_t>>(&value->data);
  if (numbers == nullptr) return wrong_value(key, mismatch(*value, "an array of integers"));
  for (const uint64_t number : *numbers) {
    if (!fits(number)) return wrong_value(key, "an element " + std::string(kTooLarge));
  }
  return std::vector<int64_t>(numbers->begin(), numbers->end());
}

Result<std::vector<double>> File::reals(std::string_view key) const {
  ONDOL_TRY(const Value* value, existing(key));
  if (value->type != ValueType::kArray) {
    ONDOL_TRY(const double number, real(key));
    return std::vector<double>{number};
  }
  if (const auto* numbers = std::get_if<std::vector<double>>(&value->data)) return *numbers;
  if (const auto* numbers = std::get_if<std::vector<int64_t>>(&value->data))
    return std::vector<double>(numbers->begin(), numbers->end());
  if (const auto* numbers = std::get_if<std::vector<uint64_t>>(&value->data))
    return std::vector<double>(numbers->begin(), numbers->end());
  return wrong_value(key, mismatch(*value, "an array of numbers"));
}

Result<std::vector<std::string_view>> File::strings(std::string_view key) const {
  ONDOL_TRY(const Value* value, existing(key));
  if (const auto* texts = std::get_if<std::vector<std::string_view>>(&value->data)) return *texts;
  return wrong_value(key, mismatch(*value, "an array of strings"));
}

}  // namespace ondol::gguf
