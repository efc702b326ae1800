// The options that every verb with a model shares, and opening a model with them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/gguf/reader.h"
#include "core/runner/local_runner.h"

namespace CLI {
class App;
}

namespace ondol::commands {

struct ModelOptions {
  std::string isa = "auto";
  std::string kv_type = "auto";
  int32_t threads = 0;          // 0: what this process may use
  int32_t prefill_chunk = 512;  // tokens of prompt in one step
};

// --isa, --kv-type, --threads, --prefill-chunk.
void add_model_options(CLI::App& app, ModelOptions& options);

// Errors: those of gguf::File::open.
Result<std::shared_ptr<const gguf::File>> open_file(const std::string& path);

// Loads the weights, with a progress line. `context`: tokens a sequence may have; 0: as trained, or what
// fits. Warnings go to standard error.
Result<std::unique_ptr<LocalRunner>> open_runner(std::shared_ptr<const gguf::File> file,
                                                 const ModelOptions& options, int32_t context = 0);

}  // namespace ondol::commands
