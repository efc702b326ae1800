// One sequence of a runner, for the verbs that need no scheduler. Main thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "core/base/result.h"
#include "core/runner/runner.h"

namespace ondol::commands {

// Opens a sequence and closes it again; `runner` must outlive it.
class OpenSequence {
 public:
  explicit OpenSequence(Runner& runner) : runner_(runner), id_(runner.open_sequence()) {}
  ~OpenSequence() { runner_.close_sequence(id_); }
  OpenSequence(const OpenSequence&) = delete;
  OpenSequence& operator=(const OpenSequence&) = delete;
  SequenceId id() const { return id_; }

 private:
  Runner& runner_;
  const SequenceId id_;
};

// Appends `ids` to the sequence, `chunk` tokens a step; `logits` then has one row: those of the token after
// the last. Errors: those of Runner::run.
Result<void> append_tokens(Runner& runner, SequenceId sequence, std::span<const TokenId> ids, int32_t chunk,
                           BatchLogits& logits);

// Appends `ids`, and calls `row(i, logits)` with the logits that follow ids[i] for every i, in order.
Result<void> append_tokens_with_logits(Runner& runner, SequenceId sequence, std::span<const TokenId> ids,
                                       int32_t chunk,
                                       const std::function<void(size_t, std::span<const float>)>& row);

}  // namespace ondol::commands
