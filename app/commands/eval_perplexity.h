// `ondol eval perplexity MODEL FILE`: mean negative log-likelihood of a text's tokens in one window.
#pragma once

#include <cstdint>
#include <string>

#include "app/commands/model_options.h"

namespace ondol::commands {

struct PerplexityOptions {
  std::string text_path;
  int32_t tokens = 0;  // of the window, BOS included; 0: all that fit the context
  bool json = false;
};

// {"tokens":N,"nll_mean":…,"perplexity":…}: the mean of -ln p over the N-1 predictions. Returns the exit
// code.
int eval_perplexity(const std::string& model, const ModelOptions& options,
                    const PerplexityOptions& perplexity);

}  // namespace ondol::commands
