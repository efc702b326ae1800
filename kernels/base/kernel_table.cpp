#include "kernels/base/kernel_table.h"

#include <cstdlib>

namespace ondol::kernels {
namespace {

// Activations are a few MiB; a machine that cannot give them cannot serve at all, and nothing was begun yet.
void grow(AlignedBuffer& buffer, int64_t bytes) {
  if (buffer.bytes() < bytes && !buffer.allocate(bytes)) std::abort();
}

}  // namespace

void ActivationBuffer::resize(int64_t rows_wanted, int64_t cols_wanted) {
  rows = rows_wanted;
  cols = cols_wanted;
  cols_padded = (cols_wanted + kGroupColumns - 1) / kGroupColumns * kGroupColumns;
  const int64_t groups = rows * (cols_padded / kGroupColumns);
  grow(values_storage, rows * cols * int64_t{sizeof(float)} + 64);
  grow(quants_storage, rows * cols_padded + 64);
  grow(low_quants_storage, rows * cols_padded + 64);
  grow(shifts_storage, groups * int64_t{sizeof(int32_t)} + 64);
  grow(scales_storage, groups * int64_t{sizeof(float)} + 64);
  grow(sums_storage, groups * 2 * int64_t{sizeof(int32_t)} + 64);
  grow(group_sums_storage, groups * int64_t{sizeof(int32_t)} + 64);
  grow(scaled_sums_storage, groups * int64_t{sizeof(float)} + 64);
}

int64_t kv_type_bytes(KvType type) { return type == KvType::kF32 ? 4 : 2; }

std::string_view kv_type_name(KvType type) {
  switch (type) {
    case KvType::kF32: return "f32";
    case KvType::kF16: return "f16";
    case KvType::kBF16: return "bf16";
  }
  return "?";
}

int64_t attention_scratch_floats(int32_t tokens, int32_t heads, int32_t head_dim) {
  const int64_t wanted = int64_t{tokens} * heads;
  const int64_t queries = wanted < kAttentionQueries ? wanted : kAttentionQueries;
  const int64_t width = (head_dim + 15) / 16 * 16;
  // One converted tile of keys or values, the scores, the outputs so far, running maximum and sum.
  return kPageTokens * width + queries * (kPageTokens + width) + 2 * ((queries + 15) / 16 * 16);
}

}  // namespace ondol::kernels
