// `ondol eval logits MODEL --jsonl`: the oracle's questions, answered by this engine.
#pragma once

#include <string>

#include "app/commands/model_options.h"

namespace ondol::commands {

// {"ids":[…],"top":N} -> {"top":[[id, logprob],…]} of the token after the ids; {"ids":[…],"greedy":N} ->
// {"ids":[…]}, N most probable tokens one after the other, whatever they are. Ids are taken as they are: no
// BOS. Exit code.
int eval_logits(const std::string& model, const ModelOptions& options);

}  // namespace ondol::commands
