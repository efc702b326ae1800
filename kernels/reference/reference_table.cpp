// Float32 truth. Weights are read from the file's rows and dequantized once for all tokens of a call; sums
// run in 16 lanes of float, then in double across lanes and column blocks. Functions of libm, no quantization
// of activations. Tolerance of a whole model against a float32 oracle: mean KL <= 1e-6.
#include <cmath>
#include <cstring>

#include "kernels/base/half.h"
#include "kernels/base/pack.h"
#include "kernels/reference/dequantize.h"
#include "kernels/reference/tables.h"

namespace ondol::kernels {
namespace {

constexpr int64_t kBlockColumns = 1024;  // columns of a row that are dequantized at once
constexpr int64_t kTokenBlock = 64;

// Four dot products with one row: sums[t] += sum_k w[k] * x[t][k].
template <int T>
void dot(const float* w, const float* const* x, int64_t n, double* sums) {
  float lanes[T][16] = {};
  int64_t k = 0;
  for (; k + 16 <= n; k += 16) {
    for (int t = 0; t < T; ++t) {
      for (int l = 0; l < 16; ++l) lanes[t][l] += w[k + l] * x[t][k + l];
    }
  }
  for (int t = 0; t < T; ++t) {
    double sum = 0;
    for (int l = 0; l < 16; ++l) sum += lanes[t][l];
    for (int64_t i = k; i < n; ++i) sum += static_cast<double>(w[i]) * x[t][i];
    sums[t] += sum;
  }
}

void matmul(const PackedMatrix& w, const ActivationBuffer& x, const int32_t* index, int64_t m, float* y,
            int64_t y_stride, int64_t panel_begin, int64_t panel_end) {
  alignas(64) float block[kBlockColumns];
  const int64_t row_end = panel_end * kPanelRows < w.rows ? panel_end * kPanelRows : w.rows;
  for (int64_t token = 0; token < m; token += kTokenBlock) {
    const int64_t tokens = m - token < kTokenBlock ? m - token : kTokenBlock;
    for (int64_t r = panel_begin * kPanelRows; r < row_end; ++r) {
      double sums[kTokenBlock] = {};
      const std::byte* row = w.in_place + r * dtype_bytes(w.source, w.cols);
      for (int64_t c = 0; c < w.cols; c += kBlockColumns) {
        const int64_t n = w.cols - c < kBlockColumns ? w.cols - c : kBlockColumns;
        dequantize_columns(w.source, row, c, n, block);
        for (int64_t t = 0; t < tokens;) {
          const float* rows[2];
          const int64_t taken = tokens - t >= 2 ? 2 : 1;
          for (int64_t i = 0; i < taken; ++i) {
            rows[i] = x.row(index ? index[token + t + i] : token + t + i) + c;
          }
          if (taken == 2) {
            dot<2>(block, rows, n, sums + t);
          } else {
            dot<1>(block, rows, n, sums + t);
          }
          t += taken;
        }
      }
      for (int64_t t = 0; t < tokens; ++t) y[(token + t) * y_stride + r] = static_cast<float>(sums[t]);
    }
  }
}

void quantize(ActivationBuffer&, int64_t, int64_t) {}

void rms_norm(const float* x, const float* weight, float eps, int64_t cols, float* y) {
  double sum = 0;
  for (int64_t c = 0; c < cols; ++c) sum += static_cast<double>(x[c]) * x[c];
  const double inverse = 1.0 / std::sqrt(sum / static_cast<double>(cols) + eps);
  for (int64_t c = 0; c < cols; ++c) y[c] = static_cast<float>(x[c] * inverse) * (weight ? weight[c] : 1.0f);
}

void rotate(float* x, int64_t heads, int64_t head_dim, int64_t rotary_dim, const float* cos, const float* sin,
            RotaryKind kind) {
  if (kind == RotaryKind::kNone) return;
  const int64_t half = rotary_dim / 2;
  for (int64_t h = 0; h < heads; ++h, x += head_dim) {
    for (int64_t i = 0; i < half; ++i) {
      float& a = x[kind == RotaryKind::kInterleaved ? 2 * i : i];
      float& b = x[kind == RotaryKind::kInterleaved ? 2 * i + 1 : i + half];
      const float real = a * cos[i] - b * sin[i];
      b = a * sin[i] + b * cos[i];
      a = real;
    }
  }
}

void gated(const float* gate, const float* up, int64_t n, ActivationKind kind, float* out) {
  for (int64_t i = 0; i < n; ++i) {
    const double g = gate[i];
    const double act = kind == ActivationKind::kSilu
                           ? g / (1.0 + std::exp(-g))
                           : 0.5 * g * (1.0 + std::tanh(0.7978845608028654 * (g + 0.044715 * g * g * g)));
    out[i] = static_cast<float>(act) * up[i];
  }
}

void add(const float* x, int64_t n, float* y) {
  for (int64_t i = 0; i < n; ++i) y[i] += x[i];
}
void add_scaled(const float* x, float scale, int64_t n, float* y) {
  for (int64_t i = 0; i < n; ++i) y[i] += scale * x[i];
}
void scale(float factor, int64_t n, float* x) {
  for (int64_t i = 0; i < n; ++i) x[i] *= factor;
}
void soft_cap(float cap, int64_t n, float* x) {
  for (int64_t i = 0; i < n; ++i) x[i] = cap * std::tanh(x[i] / cap);
}

double sum_of_exponentials(const float* x, int64_t n, float& largest) {
  largest = x[0];
  for (int64_t i = 1; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += std::exp(static_cast<double>(x[i]) - largest);
  return sum;
}

void softmax(int64_t n, float* x) {
  if (n <= 0) return;
  float largest;
  const double sum = sum_of_exponentials(x, n, largest);
  for (int64_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(std::exp(static_cast<double>(x[i]) - largest) / sum);
  }
}

float log_sum_exp(const float* x, int64_t n) {
  if (n <= 0) return -INFINITY;
  float largest;
  const double sum = sum_of_exponentials(x, n, largest);
  return static_cast<float>(std::log(sum) + largest);
}

float kv_read(KvType type, const std::byte* base, int64_t i) {
  if (type == KvType::kF32) {
    float value;
    std::memcpy(&value, base + i * 4, 4);
    return value;
  }
  uint16_t half;
  std::memcpy(&half, base + i * 2, 2);
  return type == KvType::kF16 ? f16_to_f32(half) : bf16_to_f32(half);
}

void kv_store(KvType type, std::byte* base, int64_t i, float value) {
  if (type == KvType::kF32) {
    std::memcpy(base + i * 4, &value, 4);
    return;
  }
  const uint16_t half = type == KvType::kF16 ? f32_to_f16(value) : f32_to_bf16(value);
  std::memcpy(base + i * 2, &half, 2);
}

void kv_write(const KvGeometry& g, std::byte* layer, int32_t slot, const float* k, const float* v) {
  std::byte* values = layer + g.k_bytes();
  for (int64_t h = 0; h < g.kv_heads; ++h) {
    for (int64_t d = 0; d < g.head_dim; ++d) {
      kv_store(g.type, layer, (h * g.head_dim + d) * kPageTokens + slot, k[h * g.head_dim + d]);
      kv_store(g.type, values, (h * kPageTokens + slot) * g.head_dim + d, v[h * g.head_dim + d]);
    }
  }
}

// One query head against its visible keys; `scores` [64], `sums` [head_dim].
void attend(const AttentionTask& t, int32_t position, const float* q, float* out, float* scores,
            float* sums) {
  const KvGeometry& g = t.geometry;
  const int32_t first = t.window > 0 && position - t.window + 1 > 0 ? position - t.window + 1 : 0;
  float largest = -INFINITY;
  double total = 0;
  for (int64_t d = 0; d < g.head_dim; ++d) sums[d] = 0;
  for (int32_t page = first / kPageTokens; page <= position / kPageTokens; ++page) {
    const std::byte* keys = t.pages[page] + t.layer_offset;
    const std::byte* values = keys + g.k_bytes();
    const int32_t base = page * kPageTokens;
    const int32_t begin = first > base ? first - base : 0;
    const int32_t end = position + 1 - base < kPageTokens ? position + 1 - base : kPageTokens;
    float tile_largest = largest;
    for (int32_t j = begin; j < end; ++j) {
      double sum = 0;
      for (int64_t d = 0; d < g.head_dim; ++d) {
        sum += static_cast<double>(q[d]) *
               kv_read(g.type, keys, (int64_t{t.kv_head} * g.head_dim + d) * kPageTokens + j);
      }
      auto score = static_cast<float>(sum * t.scale);
      if (t.soft_cap > 0) score = t.soft_cap * std::tanh(score / t.soft_cap);
      scores[j] = score;
      tile_largest = score > tile_largest ? score : tile_largest;
    }
    const double shrink = std::exp(static_cast<double>(largest) - tile_largest);
    largest = tile_largest;
    total *= shrink;
    for (int64_t d = 0; d < g.head_dim; ++d) sums[d] *= static_cast<float>(shrink);
    for (int32_t j = begin; j < end; ++j) {
      const double p = std::exp(static_cast<double>(scores[j]) - largest);
      total += p;
      for (int64_t d = 0; d < g.head_dim; ++d) {
        sums[d] += static_cast<float>(p) *
                   kv_read(g.type, values, (int64_t{t.kv_head} * kPageTokens + j) * g.head_dim + d);
      }
    }
  }
  for (int64_t d = 0; d < g.head_dim; ++d) out[d] = static_cast<float>(sums[d] / total);
}

void attention(const AttentionTask& t) {
  for (int32_t i = 0; i < t.tokens; ++i) {
    for (int32_t h = 0; h < t.heads; ++h) {
      const int64_t offset = int64_t{h} * t.geometry.head_dim;
      attend(t, t.position + i, t.query + i * t.query_stride + offset, t.out + i * t.out_stride + offset,
             t.scratch, t.scratch + kPageTokens);
    }
  }
}

}  // namespace

const KernelTable kReferenceTable = {.name = "reference",
                                     .numerics_id = "float",
                                     .quantizes = false,
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
