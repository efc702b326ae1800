// `ondol eval logits|perplexity`: what a model says, in numbers. argv[0] is the verb; returns the exit code.
#pragma once

namespace ondol {

int run_eval(int argc, char** argv);

}  // namespace ondol
