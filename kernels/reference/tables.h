// The two tables every machine can run: constants, safe from any thread.
#pragma once

#include "kernels/base/kernel_table.h"

namespace ondol::kernels {

extern const KernelTable kReferenceTable;  // float32 truth: the oracle of the tests
extern const KernelTable kTwinTable;       // the quantized arithmetic, scalar: what the others must equal

}  // namespace ondol::kernels
