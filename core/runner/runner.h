// A Runner turns a Batch into logits and owns the KV memory of its sequences. The local CPU runner is
// core/runner/local_runner.h; the pipeline and others implement the same interface over the wire.
// Threads: all methods but the const ones marked so are called by one thread, the scheduler's.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace ondol {

using TokenId = int32_t;
using SequenceId = int64_t;

// Consecutive tokens of one sequence. `position` must equal the sequence's length so far.
struct BatchItem {
  SequenceId sequence = 0;
  std::vector<TokenId> tokens;
  int32_t position = 0;
  int32_t adapter = -1;              // none
  std::vector<int32_t> logits_rows;  // indexes into tokens, ascending: whose logits are wanted
};

struct Batch {
  std::vector<BatchItem> items;
};

// [rows][vocabulary], rows in the order of the items and, within one, of its logits_rows.
struct BatchLogits {
  int64_t vocabulary = 0;
  std::vector<float> values;
  int64_t rows() const { return vocabulary == 0 ? 0 : static_cast<int64_t>(values.size()) / vocabulary; }
  std::span<const float> row(int64_t i) const {
    return std::span<const float>(values).subspan(static_cast<size_t>(i * vocabulary),
                                                  static_cast<size_t>(vocabulary));
  }
};

struct RunnerInfo {
  std::string architecture;  // "llama"
  std::string kernels;       // the table's name
  std::string numerics_id;
  std::string kv_type;
  int64_t vocabulary = 0;
  int32_t context_trained = 0;
  int32_t context = 0;  // the most tokens one sequence may hold
  int32_t page_tokens = 64;
  int64_t pages_total = 0;
  int64_t page_bytes = 0;
  int64_t weights_bytes = 0;     // resident, after packing
  int64_t token_read_bytes = 0;  // bytes of GGUF tensors that one decoded token must read
  int64_t parameters = 0;
  int32_t threads = 1;
  std::vector<std::string> warnings;  // for a person: what was changed or looks unwise (a reduced context)
};

class Runner {
 public:
  virtual ~Runner() = default;
  virtual const RunnerInfo& info() const = 0;  // any thread

  virtual SequenceId open_sequence() = 0;
  virtual void close_sequence(SequenceId sequence) = 0;
  // A new sequence with the first `length` tokens of `source`: full pages are shared, a partial one copied.
  virtual Result<SequenceId> fork_sequence(SequenceId source, int32_t length) = 0;
  virtual Result<void> truncate(SequenceId sequence, int32_t length) = 0;
  virtual int32_t length(SequenceId sequence) const = 0;
  virtual int64_t pages_free() const = 0;  // any thread
  // Pages that growing `sequence` to `length` tokens would take from the pool.
  virtual int64_t pages_needed(SequenceId sequence, int32_t length) const = 0;

  // Runs the batch. kResourceExhausted: not enough pages (nothing was changed). kCancelled: `stop` became
  // true between two layers; the batch's sequences keep their former length. kDataLoss: the model file
  // changed under a mapping.
  virtual Result<void> run(const Batch& batch, BatchLogits& logits, const std::atomic<bool>* stop) = 0;
};

}  // namespace ondol
