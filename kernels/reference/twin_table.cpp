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
#include "kernels/reference/lane_quantize.inc"
// clang-format on

constexpr int64_t kTokenBlock = 256;
constexpr int64_t kFloatColumns = 1024;

void quantize_group(const float* x, int64_t n, float limit, const GroupTarget& target) {
  uint32_t largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t bits = std::bit_cast<uint32_t>(x[i]) & 0x7fffffffu;
    largest = bits > largest ? bits : largest;
  }
  const GroupStep step = group_step(largest, limit);
  const int32_t half = (1 << step.shift) / 2;
  *target.scale = step.scale;
  *target.shift = step.shift;
  target.sums[0] = target.sums[1] = 0;
  for (int64_t i = 0; i < 32; ++i) {
    const float scaled = i < n && step.inverse > 0.0f ? x[i] * step.inverse : 0.0f;
    const auto rounded = static_cast<int32_t>((scaled + 12582912.0f) - 12582912.0f);
    const int32_t high = (rounded + half) >> step.shift;
    target.quants[i] = static_cast<int8_t>(high);
    target.low_quants[i] = static_cast<int8_t>(rounded - high * (1 << step.shift));
    target.sums[i / 16] += rounded;
  }
}

int32_t dot16(const int16_t* w, const int8_t* high, const int8_t* low, int32_t shift) {
  int32_t sum = 0;
  for (int i = 0; i < 16; ++i) sum += int32_t{w[i]} * (int32_t{high[i]} * (1 << shift) + int32_t{low[i]});
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
  const int8_t *q = x.quants() + at * 32, *fine = x.low_quants() + at * 32;
  const int32_t shift = x.shifts()[at];
  const float d = x.scales()[at];
  const int32_t low = dot16(w.q, q, fine, shift), high = dot16(w.q + 16, q + 16, fine + 16, shift);
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

#include "kernels/reference/lane_table.inc"

}  // namespace

const KernelTable kTwinTable = lane_table("twin", pack_in_place, pack_nothing);

}  // namespace ondol::kernels
