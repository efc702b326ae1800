// For tests: a sequence's keys and values in pages whose unwritten slots hold NaN, and tasks over them.
#pragma once

#include <cstring>
#include <vector>

#include "kernels/base/kernel_table.h"
#include "kernels/reference/random_weights.h"

namespace ondol::kernels {

class RandomPages {
 public:
  // Writes positions [first, count) by `table`; pages before `first` are null.
  RandomPages(const KernelTable& table, KvGeometry geometry, int32_t first, int32_t count, uint32_t seed)
      : geometry_(geometry) {
    const int64_t width = int64_t{geometry.kv_heads} * geometry.head_dim;
    std::vector<float> k(static_cast<size_t>(width)), v(k.size());
    for (int32_t page = 0; page <= (count - 1) / kPageTokens; ++page) {
      if ((page + 1) * kPageTokens <= first) {
        pointers_.push_back(nullptr);
        continue;
      }
      // Every bit set: NaN in each type.
      storage_.emplace_back(static_cast<size_t>(kOffset + geometry.layer_bytes()), std::byte{0xff});
      pointers_.push_back(storage_.back().data());
      for (int32_t slot = 0; slot < kPageTokens; ++slot) {
        const int32_t position = page * kPageTokens + slot;
        if (position < first || position >= count) continue;
        random_values(k.data(), width, seed + static_cast<uint32_t>(position) * 2);
        random_values(v.data(), width, seed + static_cast<uint32_t>(position) * 2 + 1);
        table.kv_write(geometry, storage_.back().data() + kOffset, slot, k.data(), v.data());
      }
    }
  }
  static constexpr int64_t kOffset = 128;
  const std::byte* const* pages() const { return pointers_.data(); }
  const std::vector<std::vector<std::byte>>& storage() const { return storage_; }

 private:
  KvGeometry geometry_;
  std::vector<std::vector<std::byte>> storage_;
  std::vector<const std::byte*> pointers_;
};

struct AttentionCase {
  KvGeometry geometry;
  int32_t heads = 1;
  int32_t position = 0;
  int32_t tokens = 1;
  int32_t window = 0;
  float soft_cap = 0.0f;
};

// Runs a case on `table`; `chunk` query tokens a call (0: all at once). Returns [tokens][heads * head_dim].
inline std::vector<float> run_attention(const KernelTable& table, const AttentionCase& c,
                                        const RandomPages& pages, int32_t kv_head, int32_t chunk) {
  const int64_t width = int64_t{c.heads} * c.geometry.head_dim;
  std::vector<float> query(static_cast<size_t>(c.tokens * width)), out(query.size(), -7.0f);
  random_values(query.data(), c.tokens * width, 11);
  const int32_t step = chunk > 0 ? chunk : c.tokens;
  AlignedBuffer scratch;
  scratch.allocate(attention_scratch_floats(step, c.heads, c.geometry.head_dim) * 4);
  for (int32_t t = 0; t < c.tokens; t += step) {
    AttentionTask task;
    task.query = query.data() + t * width;
    task.query_stride = width;
    task.out = out.data() + t * width;
    task.out_stride = width;
    task.pages = pages.pages();
    task.layer_offset = RandomPages::kOffset;
    task.geometry = c.geometry;
    task.kv_head = kv_head;
    task.heads = c.heads;
    task.position = c.position + t;
    task.tokens = c.tokens - t < step ? c.tokens - t : step;
    task.window = c.window;
    task.scale = 1.0f / std::sqrt(static_cast<float>(c.geometry.head_dim));
    task.soft_cap = c.soft_cap;
    task.scratch = scratch.as<float>();
    table.attention(task);
  }
  return out;
}

inline std::vector<AttentionCase> attention_cases() {
  std::vector<AttentionCase> cases;
  for (const KvType type : {KvType::kF32, KvType::kF16, KvType::kBF16}) {
    cases.push_back({{type, 2, 64}, 3, 0, 70, 0, 0.0f});
    cases.push_back({{type, 1, 16}, 7, 190, 1, 0, 0.0f});
    cases.push_back({{type, 2, 80}, 1, 60, 9, 40, 20.0f});
    cases.push_back({{type, 1, 256}, 4, 130, 3, 70, 0.0f});
    cases.push_back({{type, 2, 24}, 2, 5, 66, 3, 3.0f});
    cases.push_back({{type, 1, 8}, 5, 63, 2, 1, 0.0f});
  }
  return cases;
}

}  // namespace ondol::kernels
