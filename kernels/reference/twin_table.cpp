// The scalar twin: the quantized arithmetic in plain C++, by which every vector table is judged bit for bit,
// and what runs where there is no AVX2. It reads the file's rows in place. kernels/base/NUMERICS.md is the
// definition in words.
#include <bit>
#include <cstdint>
#include <cstring>

#include "kernels/base/blocks.h"
#include "kernels/base/half.h"
#include "kernels/base/pack.h"
#include "kernels/reference/dequantize.h"
#include "kernels/reference/tables.h"

namespace ondol::kernels {
namespace {

// Each builds on those before it.
// clang-format off
#include "kernels/reference/lanes_scalar.inc"
#include "kernels/reference/lane_ops.inc"
#include "kernels/reference/lane_attention.inc"
// clang-format on

constexpr int64_t kTokenBlock = 256;
constexpr int64_t kFloatColumns = 1024;

// One group of 32: d = amax / 127; q = round(x * (1 / d)); a group of tiny values is zero, one with an
// infinity or NaN gets d = NaN, so that the fault shows in every product.
void quantize_group(const float* x, int64_t n, int8_t* q, float* d, int32_t* sums) {
  uint32_t largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t bits = std::bit_cast<uint32_t>(x[i]) & 0x7fffffffu;
    largest = bits > largest ? bits : largest;
  }
  const float amax = std::bit_cast<float>(largest);
  float inverse = 0.0f;
  *d = 0.0f;
  if (largest >= 0x7f800000u) {
    *d = std::bit_cast<float>(0x7fc00000u);
  } else if (amax >= 1e-30f) {
    *d = amax / 127.0f;
    inverse = 1.0f / *d;
  }
  sums[0] = sums[1] = 0;
  for (int64_t i = 0; i < 32; ++i) {
    const float scaled = i < n && inverse != 0.0f ? x[i] * inverse : 0.0f;
    const float rounded = (scaled + 12582912.0f) - 12582912.0f;
    q[i] = static_cast<int8_t>(rounded);
    sums[i / 16] += q[i];
  }
}

void quantize(ActivationBuffer& x, int64_t row_begin, int64_t row_end) {
  const int64_t groups = x.cols_padded / 32;
  for (int64_t r = row_begin; r < row_end; ++r) {
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t at = r * groups + g;
      const int64_t n = x.cols - g * 32 < 32 ? x.cols - g * 32 : 32;
      quantize_group(x.row(r) + g * 32, n, x.quants() + at * 32, x.scales() + at, x.sums() + at * 2);
      x.group_sums()[at] = x.sums()[2 * at] + x.sums()[2 * at + 1];
      x.scaled_sums()[at] = x.scales()[at] * static_cast<float>(x.group_sums()[at]);
    }
  }
}

int32_t dot16(const int16_t* q, const int8_t* x) {
  int32_t sum = 0;
  for (int i = 0; i < 16; ++i) sum += int32_t{q[i]} * int32_t{x[i]};
  return sum;
}

struct Group {
  int16_t q[32];  // quant minus zero point
  GroupFactors factors;
  bool halves;
  bool has_minimum;
};

// The step every table repeats: one group of one row times one group of one token.
float add_group(const Group& w, const ActivationBuffer& x, int64_t at, float acc) {
  const int8_t* q = x.quants() + at * 32;
  const float d = x.scales()[at];
  const int32_t low = dot16(w.q, q), high = dot16(w.q + 16, q + 16);
  if (!w.halves) {
    acc = fused(static_cast<float>(low + high), w.factors.scale[0] * d, acc);
    if (w.has_minimum) acc = fused(w.factors.minimum[0], x.scaled_sums()[at], acc);
    return acc;
  }
  acc = fused(static_cast<float>(low), w.factors.scale[0] * d, acc);
  acc = fused(static_cast<float>(high), w.factors.scale[1] * d, acc);
  if (w.has_minimum) {
    acc = fused(w.factors.minimum[0], d * static_cast<float>(x.sums()[2 * at]), acc);
    acc = fused(w.factors.minimum[1], d * static_cast<float>(x.sums()[2 * at + 1]), acc);
  }
  return acc;
}

void read_group(DType type, const PackFormat& format, const std::byte* row, int64_t g, Group& out) {
  uint8_t q[32];
  read_group_quants(type, row, g, q);
  for (int i = 0; i < 32; ++i) out.q[i] = static_cast<int16_t>(q[i] - format.zero_point);
  out.factors = group_factors(type, read_group_scales(type, row, g));
  out.halves = format.halves;
  out.has_minimum = format.has_minimum;
}

void row_quantized(const PackedMatrix& w, const ActivationBuffer& x, const int32_t* index, int64_t first,
                   int64_t tokens, const std::byte* row, float* acc) {
  const PackFormat format = pack_format(w.source);
  const int64_t groups = w.cols / 32;
  Group group;
  for (int64_t g = 0; g < groups; ++g) {
    read_group(w.source, format, row, g, group);
    for (int64_t t = 0; t < tokens; ++t) {
      const int64_t token = index ? index[first + t] : first + t;
      acc[t] = add_group(group, x, token * groups + g, acc[t]);
    }
  }
}

void row_float(const PackedMatrix& w, const ActivationBuffer& x, const int32_t* index, int64_t first,
               int64_t tokens, const std::byte* row, float* acc) {
  float part[kFloatColumns];
  for (int64_t c = 0; c < w.cols; c += kFloatColumns) {
    const int64_t n = w.cols - c < kFloatColumns ? w.cols - c : kFloatColumns;
    dequantize_columns(w.source, row, c, n, part);
    for (int64_t t = 0; t < tokens; ++t) {
      const float* values = x.row(index ? index[first + t] : first + t) + c;
      for (int64_t k = 0; k < n; ++k) acc[t] = fused(values[k], part[k], acc[t]);
    }
  }
}

void matmul(const PackedMatrix& w, const ActivationBuffer& x, const int32_t* index, int64_t m, float* y,
            int64_t y_stride, int64_t panel_begin, int64_t panel_end) {
  const int64_t row_end = panel_end * kPanelRows < w.rows ? panel_end * kPanelRows : w.rows;
  const bool quantized = is_quantized(w.source);
  for (int64_t first = 0; first < m; first += kTokenBlock) {
    const int64_t tokens = m - first < kTokenBlock ? m - first : kTokenBlock;
    for (int64_t r = panel_begin * kPanelRows; r < row_end; ++r) {
      float acc[kTokenBlock] = {};
      const std::byte* row = w.in_place + r * dtype_bytes(w.source, w.cols);
      if (quantized) {
        row_quantized(w, x, index, first, tokens, row, acc);
      } else {
        row_float(w, x, index, first, tokens, row, acc);
      }
      for (int64_t t = 0; t < tokens; ++t) y[(first + t) * y_stride + r] = acc[t];
    }
  }
}

}  // namespace

const KernelTable kTwinTable = {.name = "twin",
                                .numerics_id = "q8",
                                .quantizes = true,
                                .pack_begin = pack_in_place,
                                .pack_panels = pack_nothing,
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
