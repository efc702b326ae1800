#include "app/api/model_registry.h"

#include "app/api/model_name.h"

namespace ondol::api {

EngineInfo ServedModel::info() const {
  if (engine) {
    EngineInfo info = engine->info();
    info.id = id;
    return info;
  }
  EngineInfo info;
  info.id = id;
  info.path = path;
  info.state = EngineState::kFailed;
  info.failure = failure;
  return info;
}

bool ModelRegistry::add(ServedModel model) {
  model.id = composed_name(model.id);
  if (find(model.id)) return false;
  models_.push_back(std::move(model));
  return true;
}

const ServedModel* ModelRegistry::find(std::string_view name) const {
  const std::string wanted = composed_name(name);
  for (const ServedModel& model : models_) {
    if (model.id == wanted) return &model;
  }
  return nullptr;
}

std::vector<std::string> ModelRegistry::ids() const {
  std::vector<std::string> out;
  for (const ServedModel& model : models_) out.push_back(model.id);
  return out;
}

}  // namespace ondol::api
