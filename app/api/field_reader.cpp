#include "app/api/field_reader.h"

#include <cmath>
#include <cstdio>
#include <limits>

namespace ondol::api {
namespace {

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

}  // namespace

const Json* FieldReader::find(std::string_view name) const {
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

void FieldReader::fail(std::string_view name, const std::string& message, const std::string& code) {
  if (error_) return;
  const std::string field = prefix_ + std::string(name);
  error_ = invalid_request(field, "'" + field + "' " + message, code);
}

std::optional<std::string> FieldReader::string(std::string_view name) {
  const Json* value = find(name);
  if (!value) return std::nullopt;
  if (!value->is_string()) return fail(name, "must be a string", "invalid_type"), std::nullopt;
  return value->get<std::string>();
}

std::optional<bool> FieldReader::boolean(std::string_view name) {
  const Json* value = find(name);
  if (!value) return std::nullopt;
  if (!value->is_boolean()) return fail(name, "must be true or false", "invalid_type"), std::nullopt;
  return value->get<bool>();
}

std::optional<int64_t> FieldReader::integer(std::string_view name, int64_t low, int64_t high) {
  const Json* value = find(name);
  if (!value) return std::nullopt;
  const auto range = [&] {
    std::string text = "must be a whole number";
    if (low != std::numeric_limits<int64_t>::min() || high != std::numeric_limits<int64_t>::max())
      text += " from " + std::to_string(low) + " to " + std::to_string(high);
    else
      text += " of 64 bits";
    return text;
  };
  if (!value->is_number_integer())
    return fail(name, range(), value->is_number() ? "invalid_value" : "invalid_type"), std::nullopt;
  const bool above = value->is_number_unsigned() &&
                     value->get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  const int64_t number = above ? 0 : value->get<int64_t>();
  if (above || number < low || number > high) return fail(name, range()), std::nullopt;
  return number;
}

std::optional<double> FieldReader::number(std::string_view name, double low, double high, bool low_open) {
  const Json* value = find(name);
  if (!value) return std::nullopt;
  if (!value->is_number()) return fail(name, "must be a number", "invalid_type"), std::nullopt;
  const double number = value->get<double>();
  const bool inside = std::isfinite(number) && (low_open ? number > low : number >= low) && number <= high;
  if (!inside)
    return fail(name, "must be " + std::string(low_open ? "above " : "from ") + number_text(low) +
                          (low_open ? " and at most " : " to ") + number_text(high)),
           std::nullopt;
  return number;
}

const Json* FieldReader::object(std::string_view name) {
  const Json* value = find(name);
  if (value && !value->is_object()) return fail(name, "must be an object", "invalid_type"), nullptr;
  return value;
}

const Json* FieldReader::array(std::string_view name) {
  const Json* value = find(name);
  if (value && !value->is_array()) return fail(name, "must be an array", "invalid_type"), nullptr;
  return value;
}

}  // namespace ondol::api
