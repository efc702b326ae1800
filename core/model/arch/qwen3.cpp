// Qwen3: no biases, queries and keys normalized per head. Source: "Qwen3 Technical Report", 2025.
#include "core/model/arch/arch.h"

namespace ondol::model::arch {

Result<ModelSpec> read_qwen3(const Metadata& metadata) {
  ONDOL_TRY(ModelSpec spec, read_decoder(metadata, kernels::RotaryKind::kHalves));
  spec.qk_norm = true;
  return spec;
}

}  // namespace ondol::model::arch
