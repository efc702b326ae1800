// `ondol bench MODEL`: prompt and generation speed, beside what this machine could do at most.
// argv[0] is the verb; returns the exit code.
#pragma once

namespace ondol {

int run_bench(int argc, char** argv);

}  // namespace ondol
