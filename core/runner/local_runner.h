// The Runner of this machine's processors: a model's weights, its KV memory and a team of threads.
// Memory: weights as core/model/weights.h says; KV pages within kv_bytes_max, taken as they are first used;
// activations for passes of at most Forward::kRowsMax tokens (longer batches run in several passes).
// The model file: tables that pack (all but "reference" and "twin") own every byte they use once create() is
// done, so the file may be cut, overwritten or removed. Those two read the mapping; before each run the file
// is held against the one that was opened, and a changed one is kDataLoss. A file that is cut during such a
// run ends the process: replace model files by renaming.
//
// Threads: as Runner says; create() may run on any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/thread_team.h"
#include "core/gguf/reader.h"
#include "core/kv/page_pool.h"
#include "core/kv/sequence_table.h"
#include "core/model/forward.h"
#include "core/model/model_spec.h"
#include "core/model/weights.h"
#include "core/runner/runner.h"

namespace ondol {

struct LocalRunnerOptions {
  std::string isa = "auto";      // a kernel table's name
  std::string kv_type = "auto";  // "f32", "f16", "bf16"; auto: f16, or f32 for float tables
  int32_t context = 0;       // tokens a sequence may have; 0: as trained, or as many as fit (with a warning)
  int32_t threads = 0;       // 0: default_threads()
  int64_t kv_bytes_max = 0;  // memory for keys and values; 0: half of what the weights leave available
  int64_t memory_bytes = 0;  // what may be used in all; 0: what the system says is available
};

class LocalRunner : public Runner {
 public:
  static constexpr int32_t kContextMax = 1 << 20;

  // `file` is shared with the tokenizer; it is kept only where weights are read in place. `files` must
  // outlive the runner. Errors: those of read_model_spec and load_weights; kInvalidArgument (an option;
  // `where` names it); kResourceExhausted (the memory is too small for the weights or the context asked for;
  // says both numbers). What had to be changed or looks unwise is in info().warnings.
  static Result<std::unique_ptr<LocalRunner>> create(FileSystem& files,
                                                     std::shared_ptr<const gguf::File> file,
                                                     const LocalRunnerOptions& options,
                                                     const model::LoadProgress& progress = {},
                                                     const std::atomic<bool>* stop = nullptr);

  const RunnerInfo& info() const override { return info_; }
  const model::ModelSpec& spec() const { return spec_; }

  SequenceId open_sequence() override { return sequences_->open(); }
  void close_sequence(SequenceId sequence) override { sequences_->close(sequence); }
  Result<SequenceId> fork_sequence(SequenceId source, int32_t length) override;
  Result<void> truncate(SequenceId sequence, int32_t length) override;
  int32_t length(SequenceId sequence) const override { return sequences_->length(sequence); }
  int64_t pages_free() const override { return pool_->free_pages(); }
  int64_t pages_needed(SequenceId sequence, int32_t length) const override;
  Result<void> run(const Batch& batch, BatchLogits& logits, const std::atomic<bool>* stop) override;

 private:
  LocalRunner(FileSystem& files, model::ModelSpec spec, int threads);

  Result<void> choose_sizes(const LocalRunnerOptions& options, int64_t page_bytes, int64_t available);
  Result<void> check(const Batch& batch) const;
  Result<void> reserve(const Batch& batch);
  Result<void> run_passes(const Batch& batch, float* logits, const std::atomic<bool>* stop);

  FileSystem& files_;
  const model::ModelSpec spec_;
  ThreadTeam team_;
  model::Weights weights_;
  std::unique_ptr<kv::PagePool> pool_;
  std::unique_ptr<kv::SequenceTable> sequences_;  // ends before pool_
  std::unique_ptr<model::Forward> forward_;
  RunnerInfo info_;
};

}  // namespace ondol
