#include "app/commands/bench_case.h"

#include <algorithm>

#include "core/base/clock.h"

namespace ondol::commands {
namespace {

constexpr int32_t kWarmUpSteps = 4;

double seconds_since(int64_t started_ns) {
  return static_cast<double>(std::max<int64_t>(1, system_clock().now_ns() - started_ns)) / 1e9;
}

}  // namespace

std::vector<TokenId> made_up_tokens(int64_t vocabulary, int64_t stream, int64_t begin, int64_t count) {
  std::vector<TokenId> ids;
  ids.reserve(static_cast<size_t>(count));
  for (int64_t i = begin; i < begin + count; ++i) {
    // Knuth's multiplicative hashing of the place.
    const uint64_t mixed =
        (static_cast<uint64_t>(i) * 1000003 + static_cast<uint64_t>(stream)) * 11400714819323198485u;
    ids.push_back(static_cast<TokenId>((mixed >> 33) % static_cast<uint64_t>(vocabulary)));
  }
  return ids;
}

Result<void> Bench::bring_to_depth(const BenchCase& bench_case, const Progress& progress) {
  while (static_cast<int32_t>(streams_.size()) < bench_case.batch) {
    streams_.push_back(std::make_unique<OpenSequence>(runner_));
  }
  const int64_t vocabulary = runner_.info().vocabulary;
  for (int32_t i = 0; i < bench_case.batch; ++i) {
    const SequenceId id = streams_[static_cast<size_t>(i)]->id();
    if (runner_.length(id) > bench_case.depth) ONDOL_RETURN_IF_ERROR(runner_.truncate(id, bench_case.depth));
    for (int32_t length = runner_.length(id); length < bench_case.depth; length = runner_.length(id)) {
      const int32_t count = std::min(plan_.chunk, bench_case.depth - length);
      const std::vector<TokenId> ids = made_up_tokens(vocabulary, i, length, count);
      ONDOL_RETURN_IF_ERROR(append_tokens(runner_, id, ids, plan_.chunk, logits_));
      progress((i + static_cast<double>(length) / bench_case.depth) / bench_case.batch);
    }
  }
  return {};
}

Result<void> Bench::rewind(const BenchCase& bench_case) {
  for (int32_t i = 0; i < bench_case.batch; ++i) {
    ONDOL_RETURN_IF_ERROR(runner_.truncate(streams_[static_cast<size_t>(i)]->id(), bench_case.depth));
  }
  return {};
}

Result<double> Bench::prompt_seconds(const BenchCase& bench_case, int32_t tokens) {
  const int64_t started_ns = system_clock().now_ns();
  for (int32_t i = 0; i < bench_case.batch; ++i) {
    const std::vector<TokenId> ids = made_up_tokens(runner_.info().vocabulary, i, bench_case.depth, tokens);
    ONDOL_RETURN_IF_ERROR(
        append_tokens(runner_, streams_[static_cast<size_t>(i)]->id(), ids, plan_.chunk, logits_));
  }
  return seconds_since(started_ns);
}

Result<double> Bench::decode_seconds(const BenchCase& bench_case, int32_t steps) {
  const int64_t started_ns = system_clock().now_ns();
  for (int32_t step = 0; step < steps; ++step) {
    Batch batch;
    for (int32_t i = 0; i < bench_case.batch; ++i) {
      BatchItem& item = batch.items.emplace_back();
      item.sequence = streams_[static_cast<size_t>(i)]->id();
      item.position = bench_case.depth + step;
      item.tokens = made_up_tokens(runner_.info().vocabulary, i, item.position, 1);
      item.logits_rows = {0};
    }
    ONDOL_RETURN_IF_ERROR(runner_.run(batch, logits_, nullptr));
  }
  return seconds_since(started_ns);
}

Result<BenchResult> Bench::measure(const BenchCase& bench_case, const Progress& progress) {
  ONDOL_RETURN_IF_ERROR(bring_to_depth(bench_case, progress));
  // Not counted: memory that is touched for the first time, cold caches.
  ONDOL_RETURN_IF_ERROR(prompt_seconds(bench_case, std::min(plan_.prompt, plan_.chunk)));
  ONDOL_RETURN_IF_ERROR(rewind(bench_case));
  ONDOL_RETURN_IF_ERROR(decode_seconds(bench_case, std::min(plan_.gen, kWarmUpSteps)));
  std::vector<double> prefill, decode;
  for (int32_t i = 0; i < plan_.repeat; ++i) {
    ONDOL_RETURN_IF_ERROR(rewind(bench_case));
    ONDOL_TRY(const double prompt_s, prompt_seconds(bench_case, plan_.prompt));
    ONDOL_RETURN_IF_ERROR(rewind(bench_case));
    ONDOL_TRY(const double decode_s, decode_seconds(bench_case, plan_.gen));
    if (plan_.prompt > 0) prefill.push_back(static_cast<double>(plan_.prompt) * bench_case.batch / prompt_s);
    if (plan_.gen > 0) decode.push_back(static_cast<double>(plan_.gen) * bench_case.batch / decode_s);
    progress((i + 1.0) / plan_.repeat);
  }
  ONDOL_RETURN_IF_ERROR(rewind(bench_case));
  return BenchResult{spread_of(prefill), spread_of(decode)};
}

}  // namespace ondol::commands
