#include "app/commands/model_argument.h"

#include <unistd.h>

#include "app/api/model_name.h"

namespace ondol::commands {

Result<ModelArgument> parse_model_argument(const std::string& text) {
  if (text.empty()) return Error{Code::kInvalidArgument, "a model needs a file", "--model"};
  const size_t equals = text.find('=');
  if (equals == std::string::npos || access(text.c_str(), F_OK) == 0)
    return ModelArgument{api::name_of_file(text), text};
  ModelArgument out{api::composed_name(text.substr(0, equals)), text.substr(equals + 1)};
  if (out.name.find('/') != std::string::npos) return ModelArgument{api::name_of_file(text), text};
  if (out.name.empty() || out.path.empty())
    return Error{Code::kInvalidArgument, "'" + text + "' is neither FILE nor NAME=FILE", "--model"};
  return out;
}

}  // namespace ondol::commands
