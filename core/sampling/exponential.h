// exp() in double with one result on every machine: the C library picks variants by CPU, whose last bits
// differ.
#pragma once

namespace ondol {

// e^x for x <= 0 (0 below -708), NaN for NaN. Relative error under 1e-15.
double exp_nonpositive(double x);

}  // namespace ondol
