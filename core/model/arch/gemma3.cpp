// Gemma 3 (text): as Gemma 2, but q and k normalized per head instead of soft caps, and five sliding layers
// to a global one. Sliding layers rotate with a base of their own and without scaling. Source: "Gemma 3
// Technical Report", 2025.
#include <cmath>

#include "core/model/arch/arch.h"

namespace ondol::model::arch {

Result<ModelSpec> read_gemma3(const Metadata& metadata) {
  ONDOL_TRY(ModelSpec spec, read_decoder(metadata, kernels::RotaryKind::kHalves));
  spec.attention_post_norm = true;
  spec.ff_post_norm = true;
  spec.qk_norm = true;
  spec.activation = kernels::ActivationKind::kGeluTanh;
  spec.embedding_scale = std::sqrt(static_cast<float>(spec.width));
  ONDOL_TRY(const double logit_cap, metadata.real_or("final_logit_softcapping", 0, 0, 1e6));
  spec.logit_soft_cap = static_cast<float>(logit_cap);
  // The 27B scales scores by width / heads instead of the head's size; its files do not say so.
  if (spec.layers.size() == 62) {
    spec.attention_scale = static_cast<float>(std::sqrt(static_cast<double>(spec.heads) / spec.width));
  }
  if (!metadata.has("rope.freq_base")) spec.rotaries[0].base = 1e6;
  RotarySpec local;
  local.kind = spec.rotaries[0].kind;
  local.dim = spec.rotaries[0].dim;
  ONDOL_TRY(local.base, metadata.real_or("rope.freq_base_swa", 10000, 1.0001, 1e12));
  spec.rotaries.push_back(local);
  ONDOL_RETURN_IF_ERROR(read_windows(metadata, 6, spec));
  for (LayerSpec& layer : spec.layers) layer.rotary = layer.window > 0 ? 1 : 0;
  return spec;
}

}  // namespace ondol::model::arch
