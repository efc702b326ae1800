// Phi-3, Phi-3.5 mini, Phi-4 mini and Phi-4: q, k, v in one matrix, gate and up in another; LongRoPE in the
// long-context ones; part of a head rotated in Phi-4 mini. Source: "Phi-3 Technical Report", 2024.
#include "core/model/arch/arch.h"

namespace ondol::model::arch {

Result<ModelSpec> read_phi3(const Metadata& metadata) {
  ONDOL_TRY(ModelSpec spec, read_decoder(metadata, kernels::RotaryKind::kHalves));
  if (spec.experts.count > 0) {
    return Error{Code::kUnsupported, "phi3 with experts", metadata.key("expert_count")};
  }
  spec.qkv_fused = true;
  spec.gate_up_fused = true;
  ONDOL_RETURN_IF_ERROR(read_windows(metadata, 1, spec));
  return spec;
}

}  // namespace ondol::model::arch
