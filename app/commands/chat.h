// `ondol chat MODEL`: a conversation on the terminal. argv[0] is the verb; returns the exit code.
#pragma once

namespace ondol {

int run_chat(int argc, char** argv);

}  // namespace ondol
