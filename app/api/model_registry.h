// The models that are served, in the order they were given. Filled before the server starts, unchanged
// afterwards, so that any thread may look in.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/engine.h"

namespace ondol::api {

struct ServedModel {
  std::string id;
  std::string path;
  std::unique_ptr<Engine> engine;  // null: the file could not be opened
  std::string failure;
  EngineInfo info() const;  // of a model without engine: state kFailed
};

class ModelRegistry {
 public:
  // False if a model of that name (composed) is there already.
  bool add(ServedModel model);
  const ServedModel* find(std::string_view name) const;
  const std::vector<ServedModel>& all() const { return models_; }
  std::vector<std::string> ids() const;

 private:
  std::vector<ServedModel> models_;
};

}  // namespace ondol::api
