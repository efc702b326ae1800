// The table for AVX2, FMA and F16C. Compiled with these flags; it defines kAvx2Table and nothing else.
#include <immintrin.h>

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
#include "kernels/cpu/avx2/lanes_avx2.inc"
#include "kernels/reference/lane_ops.inc"
#include "kernels/reference/lane_attention.inc"
#include "kernels/cpu/quantize_avx2.inc"
#include "kernels/cpu/panel_format.inc"
#include "kernels/cpu/avx2/dots_avx2.inc"
#include "kernels/cpu/panel_matmul.inc"
// clang-format on

}  // namespace

const KernelTable kAvx2Table = {.name = "avx2",
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
