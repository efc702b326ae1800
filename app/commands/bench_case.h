// Measures how fast a runner processes prompts and generates, as a scheduler would drive it. Main thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "app/commands/run_tokens.h"
#include "app/commands/statistics.h"
#include "core/runner/runner.h"

namespace ondol::commands {

struct BenchPlan {
  int32_t prompt = 512;  // tokens of the measured prompt; 0: not measured
  int32_t gen = 64;      // tokens that each stream generates; 0: not measured
  int32_t repeat = 5;
  int32_t chunk = 512;  // tokens of prompt in one step
};

struct BenchCase {
  int32_t batch = 1;  // streams at once
  int32_t depth = 0;  // tokens that each stream's context holds before
};

// Tokens per second; of generation those of all streams together.
struct BenchResult {
  Spread prefill, decode;
};

// Streams are kept between cases, so that a deep context is computed once. Every stream computes its own:
// shared pages would be read from a cache that real conversations do not share.
class Bench {
 public:
  using Progress = std::function<void(double)>;
  // Borrows `runner`.
  Bench(Runner& runner, BenchPlan plan) : runner_(runner), plan_(plan) {}

  // Prompt and generation both begin at `depth`. Errors: those of Runner::run.
  Result<BenchResult> measure(const BenchCase& bench_case, const Progress& progress);

 private:
  Result<void> bring_to_depth(const BenchCase& bench_case, const Progress& progress);
  Result<void> rewind(const BenchCase& bench_case);
  Result<double> prompt_seconds(const BenchCase& bench_case, int32_t tokens);
  Result<double> decode_seconds(const BenchCase& bench_case, int32_t steps);

  Runner& runner_;
  const BenchPlan plan_;
  std::vector<std::unique_ptr<OpenSequence>> streams_;
  BatchLogits logits_;
};

// Tokens [begin, begin + count) of a stream's made-up text: the same in every run.
std::vector<TokenId> made_up_tokens(int64_t vocabulary, int64_t stream, int64_t begin, int64_t count);

}  // namespace ondol::commands
