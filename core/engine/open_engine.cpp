#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/engine/local_engine.h"
#include "core/gguf/reader.h"
#include "core/runner/local_runner.h"

namespace ondol {
namespace {

// The file's name without folder and ending: the model's name in the API unless another was given.
std::string id_of(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  constexpr std::string_view kEnding = ".gguf";
  if (name.size() > kEnding.size() && name.ends_with(kEnding)) name.resize(name.size() - kEnding.size());
  return name;
}

Result<ModelParts> load_parts(const EngineOptions& options, std::shared_ptr<const gguf::File> file,
                              const LocalEngine::Progress& progress) {
  ModelParts parts;
  ONDOL_TRY(parts.tokenizer, Tokenizer::load(*file));
  auto chat_template = chat::ChatTemplate::load(*file, *parts.tokenizer, system_clock());
  if (chat_template) {
    parts.chat_template = std::move(*chat_template);
  } else {
    parts.chat_template_error = chat_template.error().text();  // completions still work
  }
  LocalRunnerOptions runner;
  runner.isa = options.isa;
  runner.kv_type = options.kv_type;
  runner.context = options.context;
  runner.threads = options.threads;
  runner.kv_bytes_max = options.kv_bytes_max;
  std::atomic<bool> give_up{false};
  const auto report = [&](int64_t done, int64_t total) {
    if (!progress(total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0)) give_up = true;
  };
  ONDOL_TRY(auto local, LocalRunner::create(real_file_system(), std::move(file), runner, report, &give_up));
  if (local->info().vocabulary < parts.tokenizer->size())
    return Error{Code::kInvalidArgument,
                 "the tokenizer has " + std::to_string(parts.tokenizer->size()) +
                     " tokens, but the model only " + std::to_string(local->info().vocabulary) +
                     " rows of embeddings",
                 options.model_path};
  parts.fallbacks = local->info().warnings;
  parts.runner = std::move(local);
  return parts;
}

}  // namespace

Result<std::unique_ptr<Engine>> open_engine(const EngineOptions& options) {
  ONDOL_TRY(const FileIdentity identity, real_file_system().identity(options.model_path));
  ONDOL_TRY(std::unique_ptr<gguf::File> opened, gguf::File::open(real_file_system(), options.model_path));
  std::shared_ptr<const gguf::File> file = std::move(opened);  // the runner keeps it if it reads in place

  EngineInfo info;
  info.id = options.id.empty() ? id_of(options.model_path) : options.id;
  info.path = options.model_path;
  info.created_unix_s = identity.modified_ns / 1'000'000'000;
  SchedulerOptions scheduler;
  scheduler.prefill_chunk = options.prefill_chunk;
  scheduler.sequences_max = options.sequences_max;
  scheduler.queue_max = options.queue_max;
  auto loader = [options, file = std::move(file)](const LocalEngine::Progress& progress) mutable {
    return load_parts(options, std::move(file), progress);
  };
  return std::unique_ptr<Engine>(
      std::make_unique<LocalEngine>(std::move(info), scheduler, std::move(loader), system_clock()));
}

}  // namespace ondol
