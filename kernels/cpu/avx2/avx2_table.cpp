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
#include "kernels/reference/lane_quantize.inc"
#include "kernels/cpu/quantize_avx2.inc"
#include "kernels/cpu/panel_format.inc"
#include "kernels/cpu/avx2/dots_avx2.inc"
#include "kernels/cpu/panel_matmul.inc"
#include "kernels/reference/lane_table.inc"
// clang-format on

}  // namespace

const KernelTable kAvx2Table = lane_table("avx2", pack_begin, pack_panels);

}  // namespace ondol::kernels
