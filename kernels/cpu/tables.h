// The tables of this build, one per instruction set. A table may be called only where cpu_features() allows.
#pragma once

#include "kernels/base/kernel_table.h"

namespace ondol::kernels {

#if defined(__x86_64__)
extern const KernelTable kAvx2Table;
extern const KernelTable kAvx512Table;
#endif
#if defined(ONDOL_EMULATE_AVX512)
extern const KernelTable kAvx512EmulatedTable;  // the AVX-512 source over a portable emulation; tests only
#endif

}  // namespace ondol::kernels
