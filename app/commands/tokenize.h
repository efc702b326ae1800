// `ondol tokenize MODEL [TEXT]`: token ids and pieces of a text. argv[0] is the verb; returns the exit code.
#pragma once

namespace ondol {

int run_tokenize(int argc, char** argv);

}  // namespace ondol
