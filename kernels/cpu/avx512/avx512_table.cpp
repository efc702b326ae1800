// The table for AVX-512 (F, BW, VL, DQ) with VNNI. Compiled with these flags; it defines its table and
// nothing else. The tests compile the same source over a portable emulation of the intrinsics
// (simde_avx512.h).
#if defined(ONDOL_EMULATE_AVX512)
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
#include "kernels/cpu/quantize_avx2.inc"
#include "kernels/cpu/panel_format.inc"
#include "kernels/cpu/avx512/dots_avx512.inc"
#include "kernels/cpu/panel_matmul.inc"
// clang-format on

}  // namespace

#if defined(ONDOL_EMULATE_AVX512)
#define ONDOL_TABLE kAvx512EmulatedTable
#define ONDOL_TABLE_NAME "avx512-emulated"
#else
#define ONDOL_TABLE kAvx512Table
#define ONDOL_TABLE_NAME "avx512"
#endif

const KernelTable ONDOL_TABLE = {.name = ONDOL_TABLE_NAME,
                                 .numerics_id = "q8",
                                 .quantizes = true,
                                 .pack_begin = pack_begin,
                                 .pack_panels = pack_panels,
                                 .matmul = matmul,
                                 .quantize = quantize,
                                 .dequantize_row = dequantize_row,
                                 .rms_norm = rms_norm,
                                 .rotate = rotate,
                                 .gated = gated,
                                 .add = add,
                                 .add_scaled = add_scaled,
                                 .scale = scale,
                                 .soft_cap = soft_cap,
                                 .softmax = softmax,
                                 .log_sum_exp = log_sum_exp,
                                 .kv_write = kv_write,
                                 .attention = attention};

}  // namespace ondol::kernels
