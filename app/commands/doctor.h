// `ondol doctor [MODEL…]`: what this machine and these model files are, and what is wrong with them.
// argv[0] is the verb; returns the exit code.
#pragma once

namespace ondol {

int run_doctor(int argc, char** argv);

}  // namespace ondol
