// Llama 1 to 3.3, Mistral, Mixtral, SmolLM2 and others that share the shape: pre-norm, SwiGLU, no biases
// unless the file has them. The converter reorders rows of q and k, so that pairs are (2i, 2i+1). Source:
// Touvron et al. 2023; "The Llama 3 Herd of Models" 2024 for the frequency factors.
#include "core/model/arch/arch.h"

namespace ondol::model::arch {

Result<ModelSpec> read_llama(const Metadata& metadata) {
  ONDOL_TRY(ModelSpec spec, read_decoder(metadata, kernels::RotaryKind::kInterleaved));
  spec.qkv_bias = metadata.has_tensor("blk.0.attn_q.bias");
  spec.attention_output_bias = metadata.has_tensor("blk.0.attn_output.bias");
  spec.ff_bias = metadata.has_tensor("blk.0.ffn_gate.bias");
  ONDOL_RETURN_IF_ERROR(read_windows(metadata, 1, spec));
  return spec;
}

}  // namespace ondol::model::arch
