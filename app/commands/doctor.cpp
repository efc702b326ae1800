#include "app/commands/doctor.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/examine_machine.h"
#include "app/commands/examine_model.h"
#include "core/base/file.h"

namespace ondol {

using namespace commands;

int run_doctor(int argc, char** argv) {
  CLI::App app(
      "Looks at this machine and at model files, and says in plain words what is wrong. A bad file does not "
      "stop the "
      "others; the exit code is then 1.");
  std::vector<std::string> models;
  bool in_json = false, quick = false;
  app.add_option("MODEL", models, "GGUF files");
  app.add_flag("--json", in_json, "as one JSON object");
  app.add_flag("--quick", quick, "do not measure how fast memory and cores are");
  if (const auto code = parse_command_line(app, argc, argv)) return *code;

  const MachineReport machine = examine_machine(real_file_system(), !quick);
  nlohmann::ordered_json json = machine_json(machine);
  json["models"] = nlohmann::ordered_json::array();
  std::string text = machine_text(machine);
  bool all_ok = true;
  for (const std::string& path : models) {
    const ModelReport model = examine_model(real_file_system(), path, machine.available_bytes);
    all_ok = all_ok && model.ok();
    json["models"].push_back(model_json(model, machine.available_bytes));
    text += model_text(model, machine.available_bytes);
  }
  if (in_json) text = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return print(text) && all_ok ? kExitOk : kExitFailed;
}

}  // namespace ondol
