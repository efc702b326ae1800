// Qwen3 with experts in every layer: softmax over all, the best `used`, weights normalized to a sum of 1.
// Source: "Qwen3 Technical Report", 2025.
#include "core/model/arch/arch.h"

namespace ondol::model::arch {

Result<ModelSpec> read_qwen3moe(const Metadata& metadata) {
  ONDOL_TRY(ModelSpec spec, read_qwen3(metadata));
  if (spec.experts.count == 0) return metadata.invalid("expert_count", "a qwen3moe model needs experts");
  return spec;
}

}  // namespace ondol::model::arch
