// EXAONE 4.0: norms only after the parts, q and k normalized per head. The hybrid (32B) has three sliding
// layers to a global one, and its global layers have no rotation. Source: "EXAONE 4.0", 2025.
#include "core/model/arch/arch.h"

namespace ondol::model::arch {

Result<ModelSpec> read_exaone4(const Metadata& metadata) {
  ONDOL_TRY(ModelSpec spec, read_decoder(metadata, kernels::RotaryKind::kHalves));
  spec.attention_pre_norm = false;
  spec.attention_post_norm = true;
  spec.ff_pre_norm = false;
  spec.ff_post_norm = true;
  spec.qk_norm = true;
  ONDOL_RETURN_IF_ERROR(read_windows(metadata, 4, spec));
  if (!metadata.has("attention.sliding_window")) return spec;
  for (LayerSpec& layer : spec.layers) layer.rotary = layer.window > 0 ? 0 : -1;
  return spec;
}

}  // namespace ondol::model::arch
