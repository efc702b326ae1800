// Elementary functions in double precision that give the same bits on every machine: the C library's own
// choose a variant by CPU. Only +, -, *, / and exact operations are used, and nothing is contracted.
// Method: argument reduction and Taylor polynomials; absolute error below 4e-16 for sine and cosine,
// relative error below 1e-15 for exp and log. Pure; any thread.
#pragma once

namespace ondol::model {

struct SineCosine {
  double sine = 0;
  double cosine = 1;
};

// 0 <= radians <= 2^20.
SineCosine sine_cosine(double radians);

// -700 <= x <= 700.
double exponential(double x);

// x positive and normal.
double natural_log(double x);

// base^exponent for a positive base.
double power(double base, double exponent);

}  // namespace ondol::model
