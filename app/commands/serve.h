// ondol serve: binds, loads, and answers over HTTP until a signal comes. Main thread.
#pragma once

namespace ondol {

// argv[0] is the verb; returns the exit code: 0 after a signal, 1 (standard error says why), 2 (wrong usage).
int run_serve(int argc, char** argv);

}  // namespace ondol
