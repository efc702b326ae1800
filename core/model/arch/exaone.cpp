// EXAONE 3.0 and 3.5: Llama's shape with pairs (i, i + dim/2). Source: "EXAONE 3.0 7.8B Instruction Tuned
// Language Model", 2024.
#include "core/model/arch/arch.h"

namespace ondol::model::arch {

Result<ModelSpec> read_exaone(const Metadata& metadata) {
  return read_decoder(metadata, kernels::RotaryKind::kHalves);
}

}  // namespace ondol::model::arch
