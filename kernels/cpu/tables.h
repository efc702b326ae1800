// The tables of this build, one per instruction set. A table may be called only where cpu_features() allows.
#pragma once

#include "kernels/base/kernel_table.h"

namespace ondol::kernels {

#if defined(__x86_64__)
extern const KernelTable kAvx2Table;
extern const KernelTable kAvx512Table;
#endif
extern const KernelTable kAvx512EmulatedTable;  // the AVX-512 source over SIMDe, in builds that emulate

}  // namespace ondol::kernels
