#include "app/commands/model_options.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <utility>

#include "app/commands/progress_line.h"
#include "core/base/file.h"
#include "core/base/thread_team.h"

namespace ondol::commands {

void add_model_options(CLI::App& app, ModelOptions& options) {
  app.add_option("--isa", options.isa, "kernel table: auto, or one that `ondol version` names")
      ->capture_default_str();
  app.add_option("--kv-type", options.kv_type, "type of keys and values in memory: auto, f32, f16, bf16")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "threads that compute; 0: what this process may use")
      ->check(CLI::Range(0, ThreadTeam::kThreadsMax))
      ->capture_default_str();
  app.add_option("--prefill-chunk", options.prefill_chunk, "tokens of a prompt that one step computes")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
}

Result<std::shared_ptr<const gguf::File>> open_file(const std::string& path) {
  ONDOL_TRY(std::unique_ptr<gguf::File> file, gguf::File::open(real_file_system(), path));
  return std::shared_ptr<const gguf::File>(std::move(file));
}

Result<std::unique_ptr<LocalRunner>> open_runner(std::shared_ptr<const gguf::File> file,
                                                 const ModelOptions& options, int32_t context) {
  LocalRunnerOptions runner;
  runner.isa = options.isa;
  runner.kv_type = options.kv_type;
  runner.threads = options.threads;
  runner.context = context;
  ProgressLine progress("loading the model");
  const auto show = [&](int64_t done, int64_t total) {
    progress.update(static_cast<double>(done) / static_cast<double>(total > 0 ? total : 1));
  };
  ONDOL_TRY(std::unique_ptr<LocalRunner> opened,
            LocalRunner::create(real_file_system(), std::move(file), runner, show));
  for (const std::string& warning : opened->info().warnings)
    std::fprintf(stderr, "ondol: note: %s\n", warning.c_str());
  return opened;
}

}  // namespace ondol::commands
