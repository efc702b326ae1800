// The operations that a forward pass is made of, as one table of plain functions per implementation:
// "reference" (float32 truth), "twin" (scalar form of the quantized arithmetic) and one per instruction
// set. Every table with the numerics_id of the twin gives the same bits as the twin, for one row and for
// many: each output element is reduced in one order that its own shape fixes (design: invariant 1).
//
// Threads: every function is pure over its arguments; callers split work by rows, panels or heads and
// never let two threads write the same element. Nothing here allocates except the buffers' own methods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "kernels/base/aligned_buffer.h"
#include "kernels/base/dtype.h"

namespace ondol::kernels {

inline constexpr int64_t kPanelRows = 16;     // rows of a weight matrix that are stored and computed together
inline constexpr int64_t kGroupColumns = 32;  // columns that share an activation scale
inline constexpr int32_t kPageTokens = 64;    // tokens of a KV page; also the tile of the online softmax
inline constexpr int32_t kAttentionQueries = 64;  // queries (token, head) that share one conversion of a tile

// A weight matrix W [rows][cols] in the form one table reads. Made by KernelTable::pack_*; the meaning of
// `layout` and `storage` belongs to the tables (kernels/base/pack.h), nobody else looks inside.
struct PackedMatrix {
  DType source = DType::kF32;
  int64_t rows = 0;
  int64_t cols = 0;
  uint32_t layout = 0;
  AlignedBuffer storage;                // panels; empty when the table reads the file's rows in place
  const std::byte* in_place = nullptr;  // the file's rows; outlives the matrix
  int64_t panels() const { return (rows + kPanelRows - 1) / kPanelRows; }
  bool empty() const { return rows == 0; }
};

// m rows of activations, float and (for tables that quantize) integers with one scale per 32 columns.
// values [rows][cols]; an integer is (quants << shift) + low_quants, both [rows][cols_padded], with the shift
// of its 32 columns, shifts [rows][cols_padded/32]: 0, and low_quants 0, but in groups that stand out of
// their row. scales [rows][cols_padded/32]; sums [rows][cols_padded/16]: of each 16 integers; group_sums
// [rows][cols_padded/32]: of each 32; scaled_sums [rows][cols_padded/32]: scale * group_sum. cols_padded is
// cols rounded up to 32; the padding's integers are zero.
struct ActivationBuffer {
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t cols_padded = 0;
  AlignedBuffer values_storage, quants_storage, low_quants_storage, shifts_storage, scales_storage,
      sums_storage, group_sums_storage, scaled_sums_storage;
  float* values() const { return values_storage.as<float>(); }
  float* row(int64_t i) const { return values() + i * cols; }
  int8_t* quants() const { return quants_storage.as<int8_t>(); }
  int8_t* low_quants() const { return low_quants_storage.as<int8_t>(); }
  int32_t* shifts() const { return shifts_storage.as<int32_t>(); }
  float* scales() const { return scales_storage.as<float>(); }
  int32_t* sums() const { return sums_storage.as<int32_t>(); }
  int32_t* group_sums() const { return group_sums_storage.as<int32_t>(); }
  float* scaled_sums() const { return scaled_sums_storage.as<float>(); }
  // Makes room for `rows` x `cols`; keeps its memory when that is enough. Contents become undefined.
  void resize(int64_t rows_wanted, int64_t cols_wanted);
};

// The arithmetic of kernels/base/NUMERICS.md: the twin's and every vector table's.
inline constexpr std::string_view kQuantizedNumerics = "q8-fine";

enum class KvType : uint8_t { kF32, kF16, kBF16 };
int64_t kv_type_bytes(KvType type);
std::string_view kv_type_name(KvType type);

enum class RotaryKind : uint8_t {
  kNone,
  kInterleaved,
  kHalves
};  // pairs (2i,2i+1) | pairs (i, i+rotary_dim/2)
enum class ActivationKind : uint8_t { kSilu, kGeluTanh };

// One page's part for one layer: K as [kv_head][head_dim][64] (transposed, so that lanes are positions),
// V as [kv_head][64][head_dim]. `layer` points at that layer's K; V follows K.
struct KvGeometry {
  KvType type = KvType::kF16;
  int32_t kv_heads = 0;
  int32_t head_dim = 0;
  int64_t k_bytes() const { return int64_t{kv_heads} * head_dim * kPageTokens * kv_type_bytes(type); }
  int64_t layer_bytes() const { return 2 * k_bytes(); }
};

// Attention of `tokens` consecutive query positions of one sequence, for the `heads` query heads that share
// one KV head. Key j is visible to query i iff j <= i and (window == 0 or i - j < window).
// score = soft_cap(scale * q.k); online softmax over tiles of 64 absolute positions, in order.
struct AttentionTask {
  const float* query =
      nullptr;  // [tokens][query_stride], the group's first head first: heads * head_dim floats
  int64_t query_stride = 0;
  float* out = nullptr;  // the same shape
  int64_t out_stride = 0;
  const std::byte* const* pages =
      nullptr;               // page p holds positions 64p … 64p+63; may be null outside the window
  int64_t layer_offset = 0;  // bytes from a page's start to this layer's K
  KvGeometry geometry;
  int32_t kv_head = 0;
  int32_t heads = 1;
  int32_t position = 0;  // absolute position of the first query token
  int32_t tokens = 1;
  int32_t window = 0;
  float scale = 1.0f;
  float soft_cap = 0.0f;     // 0: none; else cap * tanh(score / cap)
  float* scratch = nullptr;  // attention_scratch_floats(task) floats, 64-byte aligned, one per thread
};

struct KernelTable {
  std::string_view name;         // "reference", "twin", "avx2", "avx512"
  std::string_view numerics_id;  // equal ids give equal bits: "float" or kQuantizedNumerics
  bool quantizes;                // activations must be quantized before matmul

  // Allocates for W [rows][cols] of a type whose traits say is_weight (storage.data() stays null if memory
  // is short, or where rows are read in place), then converts panels [panel_begin, panel_end); `source` is
  // the whole matrix as in the file. Panels may be converted by several threads.
  PackedMatrix (*pack_begin)(DType type, int64_t rows, int64_t cols, const std::byte* source);
  void (*pack_panels)(PackedMatrix& matrix, const std::byte* source, int64_t panel_begin, int64_t panel_end);

  // y[i][r] = sum_c W[r][c] * x[index ? index[i] : i][c] for i in [0, m), rows r of panels
  // [panel_begin, panel_end). y [m][y_stride]. Overwrites y. The same bits for every m.
  void (*matmul)(const PackedMatrix& w, const ActivationBuffer& x, const int32_t* index, int64_t m, float* y,
                 int64_t y_stride, int64_t panel_begin, int64_t panel_end);

  // Fills quants, scales and sums of rows [row_begin, row_end) from values. No-op for "float" tables.
  void (*quantize)(ActivationBuffer& x, int64_t row_begin, int64_t row_end);

  // Row `row` of W (any type), as floats: out [cols]. Used for token embeddings; exact in every table.
  void (*dequantize_row)(DType type, const std::byte* source, int64_t cols, int64_t row, float* out);

  // y[c] = x[c] / sqrt(mean(x^2) + eps) * weight[c]; weight may be null (all ones); y may be x.
  void (*rms_norm)(const float* x, const float* weight, float eps, int64_t cols, float* y);
  // Rotates `heads` heads of head_dim in place; the first rotary_dim of each; cos/sin [rotary_dim / 2].
  void (*rotate)(float* x, int64_t heads, int64_t head_dim, int64_t rotary_dim, const float* cos,
                 const float* sin, RotaryKind kind);
  // out[c] = act(gate[c]) * up[c]; out may be gate.
  void (*gated)(const float* gate, const float* up, int64_t n, ActivationKind kind, float* out);
  void (*add)(const float* x, int64_t n, float* y);                      // y += x
  void (*add_scaled)(const float* x, float scale, int64_t n, float* y);  // y = fma(scale, x, y)
  void (*scale)(float factor, int64_t n, float* x);                      // x *= factor
  void (*soft_cap)(float cap, int64_t n, float* x);                      // x = cap * tanh(x / cap)
  // In place softmax over n floats in the fixed order (MoE routers).
  void (*softmax)(int64_t n, float* x);
  // log(sum(exp(x))) in the fixed order.
  float (*log_sum_exp)(const float* x, int64_t n);

  // Writes one token's keys and values [kv_heads][head_dim] into slot [0, 64) of a page's layer part.
  void (*kv_write)(const KvGeometry& geometry, std::byte* layer, int32_t slot, const float* k,
                   const float* v);
  void (*attention)(const AttentionTask& task);
};

// Floats of scratch that one thread needs for any task with up to `tokens` and `heads` and this head_dim.
int64_t attention_scratch_floats(int32_t tokens, int32_t heads, int32_t head_dim);

}  // namespace ondol::kernels
