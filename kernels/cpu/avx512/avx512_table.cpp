// The table for AVX-512 (F, BW, VL, DQ) with VNNI. Compiled with these flags; it defines its table and
// nothing else. The tests compile the same source over a portable emulation of the intrinsics
// (simde_avx512.h).
#if defined(ONDOL_AVX512_OVER_SIMDE)
#include "kernels/cpu/avx512/simde_avx512.h"
#else
#include <immintrin.h>
#endif

#include <bit>
#include <cstdint>

#include "kernels/base/blocks.h"
#include "kernels/base/half.h"
#include "kernels/base/pack.h"
#include "kernels/cpu/tables.h"
#include "kernels/reference/dequantize.h"

namespace ondol::kernels {
namespace {

// Each builds on those before it.
// clang-format off
#include "kernels/cpu/avx512/lanes_avx512.inc"
#include "kernels/reference/lane_ops.inc"
#include "kernels/reference/lane_attention.inc"
#include "kernels/reference/lane_quantize.inc"
#include "kernels/cpu/quantize_avx2.inc"
#include "kernels/cpu/panel_format.inc"
#include "kernels/cpu/avx512/dots_avx512.inc"
#include "kernels/cpu/panel_matmul.inc"
#include "kernels/reference/lane_table.inc"
// clang-format on

}  // namespace

#if defined(ONDOL_AVX512_OVER_SIMDE)
const KernelTable kAvx512EmulatedTable = lane_table("avx512-emulated", pack_begin, pack_panels);
#else
const KernelTable kAvx512Table = lane_table("avx512", pack_begin, pack_panels);
#endif

}  // namespace ondol::kernels
