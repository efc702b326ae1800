#include "app/commands/version.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "app/api/embedded_files.h"
#include "app/commands/command_line.h"
#include "core/base/check.h"
#include "kernels/cpu/dispatch.h"

namespace ondol {
namespace {

using namespace commands;

#if defined(__clang__)
constexpr const char* kCompiler = "clang " __clang_version__;
#else
constexpr const char* kCompiler = "gcc " __VERSION__;
#endif
#if defined(__x86_64__)
constexpr const char* kProcessor = "x86-64";
#elif defined(__aarch64__)
constexpr const char* kProcessor = "aarch64";
#else
constexpr const char* kProcessor = "unknown";
#endif
constexpr bool kStatic = ONDOL_BUILD_STATIC;

}  // namespace

std::string commands::version_number() { return ONDOL_BUILD_VERSION; }

int run_version(int argc, char** argv) {
  CLI::App app("The program's version, how it was built, and which kernels it has for this machine.");
  bool in_json = false, licenses = false;
  app.add_flag("--json", in_json, "as one JSON object");
  app.add_flag("--licenses", licenses, "the licences of all that the program holds");
  if (const auto code = parse_command_line(app, argc, argv)) return *code;
  if (licenses) {
    const EmbeddedFile* file = embedded_file("/licenses.txt");
    CHECK(file != nullptr);
    return print(std::string(file->bytes.begin(), file->bytes.end())) ? kExitOk : kExitFailed;
  }

  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  std::string names;
  for (const kernels::KernelTable* table : kernels::available_tables()) {
    kernels.push_back(std::string(table->name));
    names += (names.empty() ? "" : ", ") + std::string(table->name);
  }
  if (in_json) {
    const nlohmann::ordered_json version = {{"version", version_number()},    {"compiler", kCompiler},
                                            {"build_type", ONDOL_BUILD_TYPE}, {"static", kStatic},
                                            {"processor", kProcessor},        {"kernels", kernels}};
    return print(version.dump() + "\n") ? kExitOk : kExitFailed;
  }
  return print("ondol " + version_number() + "\nbuild    " + ONDOL_BUILD_TYPE + ", " + kCompiler + ", " +
               kProcessor + (kStatic ? ", static" : ", shared libraries") + "\nkernels  " + names + "\n")
             ? kExitOk
             : kExitFailed;
}

}  // namespace ondol
