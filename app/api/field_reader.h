// Typed access to the fields of one JSON object. Every getter treats null as absent and checks type and
// range; the first fault is kept, naming the field. One thread; the object must outlive the reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/api/api_error.h"
#include "app/api/json_text.h"

namespace ondol::api {

class FieldReader {
 public:
  // `prefix` goes before field names in errors: "messages[0]."
  FieldReader(const Json& object, std::string prefix = "") : object_(object), prefix_(std::move(prefix)) {}

  // The field's value, or nullptr when absent or null.
  const Json* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }

  std::optional<std::string> string(std::string_view name);
  std::optional<bool> boolean(std::string_view name);
  std::optional<int64_t> integer(std::string_view name, int64_t low, int64_t high);
  // Finite and within [low, high]; `low_open`: low itself is out.
  std::optional<double> number(std::string_view name, double low, double high, bool low_open = false);
  const Json* object(std::string_view name);
  const Json* array(std::string_view name);

  void fail(std::string_view name, const std::string& message, const std::string& code = "invalid_value");
  const std::optional<ApiError>& error() const { return error_; }
  // Takes over another reader's fault.
  void take_error(const FieldReader& other) {
    if (!error_) error_ = other.error_;
  }

 private:
  const Json& object_;
  const std::string prefix_;
  std::optional<ApiError> error_;
};

}  // namespace ondol::api
