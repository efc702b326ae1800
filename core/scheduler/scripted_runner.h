// A Runner for tests: its logits are a hash of the sequence's tokens so far, so any fault in what was fed
// (order, position, a lost or doubled token) changes every later token. Pages are counted, not stored.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <thread>

#include "core/runner/runner.h"

namespace ondol {

class ScriptedRunner : public Runner {
 public:
  ScriptedRunner(int64_t vocabulary, int32_t context, int64_t pages) {
    info_.architecture = "scripted";
    info_.vocabulary = vocabulary;
    info_.context = info_.context_trained = context;
    info_.pages_total = pages;
    pages_free_ = pages;
  }
  const RunnerInfo& info() const override { return info_; }
  SequenceId open_sequence() override { return sequences_[++last_id_] = {}, last_id_; }
  void close_sequence(SequenceId id) override {
    CHECK(sequences_.count(id) == 1);
    pages_free_ += pages(length(id));
    sequences_.erase(id);
  }
  Result<SequenceId> fork_sequence(SequenceId source, int32_t length) override {
    CHECK(length <= this->length(source));
    if (pages(length) > pages_free_) return Error{Code::kResourceExhausted, "no pages", ""};
    pages_free_ -= pages(length);
    auto tokens = sequences_.at(source);
    tokens.resize(static_cast<size_t>(length));
    sequences_[++last_id_] = tokens;
    return last_id_;
  }
  Result<void> truncate(SequenceId id, int32_t length) override {
    pages_free_ += pages(this->length(id)) - pages(length);
    sequences_.at(id).resize(static_cast<size_t>(length));
    return {};
  }
  int32_t length(SequenceId id) const override { return static_cast<int32_t>(sequences_.at(id).size()); }
  int64_t pages_free() const override { return pages_free_; }
  int64_t pages_needed(SequenceId id, int32_t length) const override {
    return std::max<int64_t>(0, pages(length) - pages(this->length(id)));
  }
  Result<void> run(const Batch& batch, BatchLogits& logits, const std::atomic<bool>* stop) override {
    ++runs;
    if (delay_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(delay_us.load()));
    if (stop && *stop) return Error{Code::kCancelled, "stopped", ""};
    if (fail) return *fail;
    logits.vocabulary = info_.vocabulary;
    logits.values.clear();
    for (const BatchItem& item : batch.items) {
      CHECK(item.position == length(item.sequence));
      batch_tokens_max = std::max(batch_tokens_max, item.tokens.size());
      const int64_t more =
          pages_needed(item.sequence, item.position + static_cast<int32_t>(item.tokens.size()));
      if (more > pages_free_) return Error{Code::kResourceExhausted, "no pages", ""};
      pages_free_ -= more;
      auto& tokens = sequences_.at(item.sequence);
      for (size_t i = 0; i < item.tokens.size(); ++i) {
        tokens.push_back(item.tokens[i]);
        for (int32_t row : item.logits_rows)
          if (static_cast<size_t>(row) == i) append_logits(tokens, logits);
      }
    }
    return {};
  }
  int64_t open_sequences() const { return static_cast<int64_t>(sequences_.size()); }

  std::atomic<int64_t> delay_us{0};
  std::atomic<int64_t> runs{0};
  std::optional<Error> fail;
  size_t batch_tokens_max = 0;

 private:
  static int64_t pages(int32_t length) { return (length + 63) / 64; }
  void append_logits(const std::vector<TokenId>& tokens, BatchLogits& logits) const {
    uint64_t hash = 14695981039346656037ull;
    for (TokenId token : tokens) hash = (hash ^ static_cast<uint64_t>(token + 1)) * 1099511628211ull;
    for (int64_t id = 0; id < info_.vocabulary; ++id) {
      hash = hash * 6364136223846793005ull + 1442695040888963407ull;
      logits.values.push_back(static_cast<float>(hash >> 40) / 4194304.0f);  // [0, 4)
    }
  }

  RunnerInfo info_;
  std::map<SequenceId, std::vector<TokenId>> sequences_;
  SequenceId last_id_ = 0;
  std::atomic<int64_t> pages_free_{0};
};

}  // namespace ondol
