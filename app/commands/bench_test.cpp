#include <doctest/doctest.h>

#include <map>
#include <vector>

#include "app/commands/bench_case.h"
#include "app/commands/examine_machine.h"
#include "app/commands/probe_bandwidth.h"
#include "app/commands/probe_integer.h"
#include "app/commands/statistics.h"
#include "app/commands/terminal_text.h"
#include "core/model/tensors.h"

namespace ondol::commands {
namespace {

// Keeps lengths as a runner does, and counts what it is asked to compute.
class CountingRunner : public Runner {
 public:
  CountingRunner() {
    info_.vocabulary = 100;
    info_.context = 1 << 20;
  }
  const RunnerInfo& info() const override { return info_; }
  SequenceId open_sequence() override {
    lengths_[next_] = 0;
    return next_++;
  }
  void close_sequence(SequenceId sequence) override { lengths_.erase(sequence); }
  Result<SequenceId> fork_sequence(SequenceId, int32_t) override {
    return Error{Code::kUnsupported, "a bench shares no pages", ""};
  }
  Result<void> truncate(SequenceId sequence, int32_t length) override {
    REQUIRE(length <= lengths_.at(sequence));
    lengths_[sequence] = length;
    return {};
  }
  int32_t length(SequenceId sequence) const override { return lengths_.at(sequence); }
  int64_t pages_free() const override { return 1000; }
  int64_t pages_needed(SequenceId, int32_t) const override { return 0; }
  Result<void> run(const Batch& batch, BatchLogits& logits, const std::atomic<bool>*) override {
    logits.vocabulary = info_.vocabulary;
    logits.values.clear();
    for (const BatchItem& item : batch.items) {
      REQUIRE(item.position == lengths_.at(item.sequence));
      for (const TokenId token : item.tokens) REQUIRE((token >= 0 && token < info_.vocabulary));
      lengths_[item.sequence] += static_cast<int32_t>(item.tokens.size());
      tokens += static_cast<int64_t>(item.tokens.size());
      logits.values.resize(logits.values.size() + item.logits_rows.size() * 100);
    }
    steps_of_batch[batch.items.size()] += 1;
    return {};
  }
  size_t open() const { return lengths_.size(); }

  int64_t tokens = 0;
  std::map<size_t, int64_t> steps_of_batch;

 private:
  RunnerInfo info_;
  SequenceId next_ = 1;
  std::map<SequenceId, int32_t> lengths_;
};

TEST_CASE("spread: the median of an even count is the mean of the middle two") {
  CHECK(spread_of({3, 1, 2}).median == 2);
  CHECK(spread_of({4, 1, 2, 3}).median == 2.5);
  CHECK(spread_of({4, 1, 2, 3}).min == 1);
  CHECK(spread_of({4, 1, 2, 3}).max == 4);
  CHECK(spread_of({}).max == 0);
}

TEST_CASE("share: of a peak that could not be measured it is zero, never infinite") {
  CHECK(share_of(5, 10) == 0.5);
  CHECK(share_of(5, 0) == 0);
}

TEST_CASE("number list: commas between numbers in range, and nothing else") {
  CHECK(*number_list("1,8", 1, 512, "--batch") == std::vector<int32_t>{1, 8});
  CHECK(*number_list("0", 0, 9, "--depth") == std::vector<int32_t>{0});
  for (const char* bad : {"", ",", "1,", ",1", "1;2", "1 2", "0", "513", "x", "-1", "99999999999", "1,,2"}) {
    CAPTURE(bad);
    const auto numbers = number_list(bad, 1, 512, "--batch");
    REQUIRE(!numbers);
    CHECK(numbers.error().where == "--batch");
  }
}

TEST_CASE("bytes are written in the largest unit that is not below one") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(1023) == "1023 B");
  CHECK(bytes_text(1536) == "1.50 KiB");
  CHECK(bytes_text(int64_t{300} << 20) == "300.0 MiB");
  CHECK(bytes_text(int64_t{16} << 30) == "16.0 GiB");
}

TEST_CASE("multiply-adds of a prompt token: matrices, used experts, but neither head nor embedding") {
  model::ModelSpec spec;
  spec.vocabulary = 1000;
  spec.width = 8;
  spec.ff_width = 32;
  spec.heads = 2;
  spec.kv_heads = 1;
  spec.head_dim = 4;
  spec.layers.resize(2);
  const int64_t attention = 8 * 8 + 8 * 4 * 2 + 8 * 8;
  CHECK(prompt_multiply_adds(spec) == 2 * (attention + 3 * 8 * 32));
  spec.tied_embeddings = true;
  CHECK(prompt_multiply_adds(spec) == 2 * (attention + 3 * 8 * 32));
  spec.layers[1].experts = true;
  spec.experts = {.count = 4, .used = 2, .width = 16};
  CHECK(prompt_multiply_adds(spec) == 2 * attention + 3 * 8 * 32 + 8 * 4 + 2 * 3 * 8 * 16);
}

TEST_CASE("bench: each repetition begins at the depth, which is computed once for every stream") {
  CountingRunner runner;
  {
    const BenchPlan plan{.prompt = 100, .gen = 10, .repeat = 3, .chunk = 64};
    Bench bench(runner, plan);
    const auto quiet = [](double) {};
    const auto first = bench.measure({.batch = 2, .depth = 200}, quiet);
    REQUIRE(first);
    CHECK(first->prefill.median > 0);
    CHECK(first->decode.median > 0);
    const int64_t expected = 2 * (200 + (64 + 3 * 100) + (4 + 3 * 10));
    CHECK(runner.tokens == expected);
    CHECK(runner.steps_of_batch[2] == 4 + 3 * 10);
    REQUIRE(bench.measure({.batch = 1, .depth = 300}, quiet));
    CHECK(runner.tokens == expected + 100 + (64 + 3 * 100) + (4 + 3 * 10));
  }
  CHECK(runner.open() == 0);
}

TEST_CASE("bench: what is not to be measured stays zero") {
  CountingRunner runner;
  Bench bench(runner, {.prompt = 0, .gen = 5, .repeat = 1, .chunk = 64});
  const auto result = bench.measure({.batch = 1, .depth = 0}, [](double) {});
  REQUIRE(result);
  CHECK(result->prefill.median == 0);
  CHECK(result->decode.median > 0);
}

TEST_CASE("bench: made-up tokens do not depend on how a text is cut") {
  const std::vector<TokenId> whole = made_up_tokens(49152, 3, 0, 50);
  std::vector<TokenId> joined = made_up_tokens(49152, 3, 0, 20);
  for (const TokenId id : made_up_tokens(49152, 3, 20, 30)) joined.push_back(id);
  CHECK(whole == joined);
  CHECK(whole != made_up_tokens(49152, 4, 0, 50));
}

TEST_CASE("probes: they measure something, and too little memory is no failure") {
  const ReadBandwidth bandwidth = measure_read_bandwidth(2, int64_t{64} << 20, 1);
  CHECK(bandwidth.buffer_bytes == int64_t{16} << 20);
  CHECK(bandwidth.bytes_per_s > 0);
  CHECK(measure_read_bandwidth(1, 0, 1).bytes_per_s == 0);
#if defined(__x86_64__)
  CHECK(measure_integer_peak(1, 1).ops_per_s > 1e8);
#endif
}

TEST_CASE("machine: the memory's size is read from its line, and nonsense is no size") {
  CHECK(memory_total_bytes("MemTotal:       16303412 kB\nMemFree: 1 kB\n") == int64_t{16303412} * 1024);
  CHECK(memory_total_bytes("") == 0);
  CHECK(memory_total_bytes("MemTotal:") == 0);
  CHECK(memory_total_bytes("MemTotal: x kB") == 0);
}

TEST_CASE("machine: why there are so many threads is said with the limit that counts") {
  CpuBudget budget{.hardware_threads = 8, .cores = 4, .quota_cpus = 0};
  CHECK(why_threads(budget) ==
        "4: one a core; this process may use 8 hardware threads on 4 cores, and no cgroup limits its time");
  budget.quota_cpus = 2.5;
  CHECK(why_threads(budget) ==
        "2: one a core; this process may use 8 hardware threads on 4 cores, and the cgroup grants 2.50 CPUs "
        "of time");
}

TEST_CASE("terminal text: a model cannot control the terminal, and Hangul stays whole") {
  CHECK(terminal_text("온돌\n\tok") == "온돌\n\tok");
  CHECK(terminal_text("a\x1b[2Jb\x07\x08\r\x7f") == "a[2Jb");
  CHECK(terminal_text("x\xc2\x9b"
                      "31my\xc2\xa0z") == "x31my\xc2\xa0z");
}

}  // namespace
}  // namespace ondol::commands
