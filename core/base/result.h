// Errors as values. A fallible function returns Result<T>: a T or an Error; it never throws.
// Method names are those of std::expected (C++23, [expected.expected]), so that a later standard can take
// over. Values only: a Result may cross threads like any other value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/base/check.h"

namespace ondol {

enum class Code : uint8_t {
  kInvalidArgument,    // the caller's input is wrong (HTTP 400)
  kNotFound,           // no such model, file, key (HTTP 404)
  kContextLength,      // the request is larger than the context (HTTP 400 context_length_exceeded)
  kResourceExhausted,  // a queue, a pool or the memory is full (HTTP 503)
  kUnavailable,        // not ready yet, or stopping (HTTP 503)
  kCancelled,          // the caller went away
  kUnsupported,        // a valid thing that this build cannot do
  kDataLoss,           // a file is cut or damaged
  kIo,                 // the system refused a read, write or open
  kInternal,           // ours: should not happen
};

// The code's name, e.g. "invalid_argument".
std::string_view code_name(Code code);

struct Error {
  Code code = Code::kInternal;
  std::string message;  // plain words for a person; valid UTF-8 is not guaranteed (paths are bytes)
  std::string where;    // the field, file or offset it is about; may be empty

  // "where: message", or the message alone.
  std::string text() const;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& value() & { return check_value(), std::get<0>(state_); }
  const T& value() const& { return check_value(), std::get<0>(state_); }
  T&& value() && { return check_value(), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Error& error() { return check_error(), std::get<1>(state_); }
  const Error& error() const { return check_error(), std::get<1>(state_); }
  T value_or(T other) const { return has_value() ? std::get<0>(state_) : std::move(other); }

 private:
  void check_value() const { ONDOL_CHECK(state_.index() == 0); }
  void check_error() const { ONDOL_CHECK(state_.index() == 1); }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  const Error& error() const { return check_error(), *error_; }

 private:
  void check_error() const { ONDOL_CHECK(error_.has_value()); }
  std::optional<Error> error_;
};

// Returns the error of `expression` (a Result) from the enclosing function, if it has one.
#define ONDOL_RETURN_IF_ERROR(expression)                      \
  do {                                                         \
    if (auto ondol_result_ = (expression); !ondol_result_)     \
      return ::ondol::Error(std::move(ondol_result_.error())); \
  } while (false)

#define ONDOL_CONCAT_INNER(a, b) a##b
#define ONDOL_CONCAT(a, b) ONDOL_CONCAT_INNER(a, b)
// ONDOL_TRY(auto x, f());  — x is f()'s value, or the enclosing function returns f()'s error.
#define ONDOL_TRY(declaration, expression) \
  ONDOL_TRY_IMPL(ONDOL_CONCAT(ondol_try_, __LINE__), declaration, expression)
#define ONDOL_TRY_IMPL(temporary, declaration, expression)             \
  auto temporary = (expression);                                       \
  if (!temporary) return ::ondol::Error(std::move(temporary.error())); \
  declaration = std::move(temporary).value()

}  // namespace ondol
