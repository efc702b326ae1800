// "--model FILE" or "--model NAME=FILE". Pure but for looking whether a file is there.
#pragma once

#include <string>

#include "core/base/result.h"

namespace ondol::commands {

struct ModelArgument {
  std::string name;  // the id in the API
  std::string path;
};

// A file whose whole name is the argument goes before NAME=FILE, so that '=' may stand in file names.
Result<ModelArgument> parse_model_argument(const std::string& text);

}  // namespace ondol::commands
