// Gemma 2: norms before and after both parts, soft caps on scores and logits, every other layer sliding,
// GELU, embeddings scaled by sqrt(width). The converter adds the 1 of (1 + w) to the norms' weights. Source:
// "Gemma 2: Improving Open Language Models at a Practical Size", 2024.
#include <cmath>

#include "core/model/arch/arch.h"

namespace ondol::model::arch {

Result<ModelSpec> read_gemma2(const Metadata& metadata) {
  ONDOL_TRY(ModelSpec spec, read_decoder(metadata, kernels::RotaryKind::kHalves));
  spec.attention_post_norm = true;
  spec.ff_post_norm = true;
  spec.activation = kernels::ActivationKind::kGeluTanh;
  spec.embedding_scale = std::sqrt(static_cast<float>(spec.width));
  ONDOL_TRY(const double score_cap, metadata.real_or("attn_logit_softcapping", 50, 0, 1e6));
  ONDOL_TRY(const double logit_cap, metadata.real_or("final_logit_softcapping", 30, 0, 1e6));
  spec.attention_soft_cap = static_cast<float>(score_cap);
  spec.logit_soft_cap = static_cast<float>(logit_cap);
  // The 27B scales scores by width / heads instead of the head's size; its files do not say so.
  if (spec.layers.size() == 46) {
    spec.attention_scale = static_cast<float>(std::sqrt(static_cast<double>(spec.heads) / spec.width));
  }
  ONDOL_RETURN_IF_ERROR(read_windows(metadata, 2, spec));
  return spec;
}

}  // namespace ondol::model::arch
