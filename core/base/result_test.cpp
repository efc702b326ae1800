#include "core/base/result.h"

#include <doctest/doctest.h>

#include <memory>

namespace ondol {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Error{Code::kInvalidArgument, "is odd", "number"};
  return number / 2;
}

Result<int> quarter(int number) {
  ONDOL_TRY(const int first, half(number));
  ONDOL_TRY(const int second, half(first));
  return second;
}

Result<void> check_even(int number) {
  ONDOL_RETURN_IF_ERROR(half(number));
  return {};
}

TEST_CASE("result: an error travels up unchanged and a value comes through") {
  CHECK_EQ(quarter(12).value(), 3);
  CHECK_EQ(quarter(6).error().text(), "number: is odd");
  CHECK_EQ(quarter(6).error().code, Code::kInvalidArgument);
  CHECK_EQ(quarter(6).value_or(-1), -1);
  CHECK(check_even(2));
  CHECK_FALSE(check_even(3));
}

TEST_CASE("result: values that can only be moved are moved") {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(4));
  CHECK_EQ(*std::move(result).value(), 4);
}

TEST_CASE("result: every code has its own name, and an error without a place is its message alone") {
  CHECK_EQ(code_name(Code::kContextLength), "context_length_exceeded");
  CHECK_EQ(code_name(Code::kDataLoss), "data_loss");
  CHECK_EQ((Error{Code::kIo, "broken", ""}).text(), "broken");
}

}  // namespace
}  // namespace ondol
