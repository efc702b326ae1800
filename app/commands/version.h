// `ondol version`: what this program is and how it was built. argv[0] is the verb; returns the exit code.
#pragma once

#include <string>

namespace ondol {

int run_version(int argc, char** argv);

namespace commands {
std::string version_number();  // "0.1.0"
}

}  // namespace ondol
