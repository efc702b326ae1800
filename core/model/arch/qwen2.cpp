// Qwen2, Qwen2.5: biases on q, k and v. Source: "Qwen2 Technical Report", 2024.
#include "core/model/arch/arch.h"

namespace ondol::model::arch {

Result<ModelSpec> read_qwen2(const Metadata& metadata) {
  ONDOL_TRY(ModelSpec spec, read_decoder(metadata, kernels::RotaryKind::kHalves));
  spec.qkv_bias = true;
  return spec;
}

}  // namespace ondol::model::arch
