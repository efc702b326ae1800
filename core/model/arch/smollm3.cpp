// SmolLM3: as Llama, but every fourth layer has no rotation. Rows of q and k are reordered as for Llama.
// Source: the model card's "NoPE" description; Yang et al. 2025, "RoPE to NoPE and back again".
#include "core/model/arch/arch.h"

namespace ondol::model::arch {

Result<ModelSpec> read_smollm3(const Metadata& metadata) {
  ONDOL_TRY(ModelSpec spec, read_llama(metadata));
  for (size_t i = 3; i < spec.layers.size(); i += 4) spec.layers[i].rotary = -1;
  return spec;
}

}  // namespace ondol::model::arch
