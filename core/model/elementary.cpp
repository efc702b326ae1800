#include "core/model/elementary.h"

#include <cmath>
#include <cstdint>

#include "core/base/check.h"

namespace ondol::model {
namespace {

// pi/2 as the sum of three doubles; the first two have 33 significant bits, so that their products with an
// integer below 2^20 are exact.
constexpr double kHalfPiHigh = 0x1.921fb544p+0;
constexpr double kHalfPiMiddle = 0x1.0b4611a6p-34;
constexpr double kHalfPiLow = 0x1.3198a2e037073p-69;
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;

// ln 2 in the same way: 33 bits and the rest.
constexpr double kLn2High = 0x1.62e42fefp-1;
constexpr double kLn2Low = 0x1.473de6af278edp-34;

constexpr double kSquareRootOfTwo = 0x1.6a09e667f3bcdp+0;

// sin x for |x| <= pi/4: x - x^3/3! + ... up to x^17.
double sine_near_zero(double x) {
  const double square = x * x;
  double sum = 0;
  for (int n = 17; n >= 3; n -= 2) sum = (1.0 + sum) * (-square / static_cast<double>(n * (n - 1)));
  return x + x * sum;
}

// cos x for |x| <= pi/4: up to x^18.
double cosine_near_zero(double x) {
  const double square = x * x;
  double sum = 0;
  for (int n = 18; n >= 2; n -= 2) sum = (1.0 + sum) * (-square / static_cast<double>(n * (n - 1)));
  return 1.0 + sum;
}

}  // namespace

SineCosine sine_cosine(double radians) {
  CHECK(radians >= 0 && radians <= 1048576.0);
  const double turns = std::floor(radians * kTwoOverPi + 0.5);
  const double rest = ((radians - turns * kHalfPiHigh) - turns * kHalfPiMiddle) - turns * kHalfPiLow;
  const double sine = sine_near_zero(rest);
  const double cosine = cosine_near_zero(rest);
  switch (static_cast<int64_t>(turns) & 3) {
    case 0: return {sine, cosine};
    case 1: return {cosine, -sine};
    case 2: return {-sine, -cosine};
    default: return {-cosine, sine};
  }
}

double exponential(double x) {
  CHECK(x >= -700 && x <= 700);
  const double power_of_two = std::floor(x / (kLn2High + kLn2Low) + 0.5);
  const double rest = (x - power_of_two * kLn2High) - power_of_two * kLn2Low;  // |rest| <= ln(2)/2
  double sum = 1;
  for (int n = 18; n >= 1; --n) sum = 1.0 + sum * (rest / static_cast<double>(n));
  return std::ldexp(sum, static_cast<int>(power_of_two));
}

double natural_log(double x) {
  CHECK(x > 0 && std::isnormal(x));
  int exponent = 0;
  double mantissa = 2 * std::frexp(x, &exponent);  // [1, 2)
  exponent -= 1;
  if (mantissa > kSquareRootOfTwo) {
    mantissa /= 2;
    exponent += 1;
  }
  // ln m = 2 artanh(t), t = (m-1)/(m+1), |t| <= 0.172: odd powers up to t^25.
  const double t = (mantissa - 1) / (mantissa + 1);
  const double square = t * t;
  double sum = 0;
  for (int n = 25; n >= 3; n -= 2) sum = (sum + 1.0 / static_cast<double>(n)) * square;
  const double log_mantissa = 2 * (t + t * sum);
  const double whole = static_cast<double>(exponent);
  return whole * kLn2High + (whole * kLn2Low + log_mantissa);
}

double power(double base, double exponent) { return exponential(exponent * natural_log(base)); }

}  // namespace ondol::model
