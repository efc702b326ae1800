#include "app/commands/bench.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/bench_case.h"
#include "app/commands/command_line.h"
#include "app/commands/model_options.h"
#include "app/commands/probe_bandwidth.h"
#include "app/commands/probe_integer.h"
#include "app/commands/progress_line.h"
#include "app/commands/statistics.h"
#include "core/base/file.h"
#include "core/base/thread_team.h"
#include "core/runner/memory_budget.h"

namespace ondol {
namespace {

using namespace commands;
using nlohmann::ordered_json;

constexpr int kProbeRounds = 7;
constexpr int32_t kBatchMax = 512;

struct Arguments {
  std::string model;
  ModelOptions options;
  BenchPlan plan;
  std::string batches = "1,8", depths = "0,4096";
  bool json = false;
};

struct Ceiling {
  ReadBandwidth bandwidth;
  IntegerPeak integer_peak;
};

struct Row {
  BenchCase bench_case;
  BenchResult result;
  double bandwidth_share = 0;
  double integer_share = 0;
};

ordered_json row_json(const Row& row, const BenchPlan& plan, const RunnerInfo& info, const Ceiling& ceiling) {
  return {{"prompt", plan.prompt},
          {"gen", plan.gen},
          {"batch", row.bench_case.batch},
          {"depth", row.bench_case.depth},
          {"kv_type", info.kv_type},
          {"threads", info.threads},
          {"isa", info.kernels},
          {"prefill_tps", row.result.prefill.median},
          {"prefill_tps_min", row.result.prefill.min},
          {"prefill_tps_max", row.result.prefill.max},
          {"decode_tps", row.result.decode.median},
          {"decode_tps_min", row.result.decode.min},
          {"decode_tps_max", row.result.decode.max},
          {"read_bw_bytes_per_s", ceiling.bandwidth.bytes_per_s},
          {"read_bw_share", row.bandwidth_share},
          {"int8_peak_ops_per_s", ceiling.integer_peak.ops_per_s},
          {"int8_peak_share", row.integer_share}};
}

std::string heading(const BenchPlan& plan, const RunnerInfo& info, const Ceiling& ceiling) {
  char text[512];
  std::snprintf(text, sizeof text,
                "%s, kernels %s, kv %s, threads: %d; %d repetitions: median (least to most)\n"
                "this machine: reads %.1f GB/s (%s, threads: %d), computes %.0f Gop/s (%s)\n"
                "%6s %5s %6s %6s  %-28s %8s  %-28s %9s\n",
                info.architecture.c_str(), info.kernels.c_str(), info.kv_type.c_str(), info.threads,
                plan.repeat, ceiling.bandwidth.bytes_per_s / 1e9, ceiling.bandwidth.pattern.c_str(),
                ceiling.bandwidth.threads, ceiling.integer_peak.ops_per_s / 1e9,
                ceiling.integer_peak.instruction.c_str(), "prompt", "gen", "batch", "depth",
                "prompt tokens/s", "of peak", "generated tokens/s", "of reading");
  return text;
}

std::string spread_text(const Spread& spread) {
  char text[96];
  std::snprintf(text, sizeof text, "%.1f (%.1f to %.1f)", spread.median, spread.min, spread.max);
  return text;
}

std::string row_text(const Row& row, const BenchPlan& plan) {
  char text[256];
  std::snprintf(text, sizeof text, "%6d %5d %6d %6d  %-28s %6.1f %%  %-28s %8.1f %%\n", plan.prompt, plan.gen,
                row.bench_case.batch, row.bench_case.depth, spread_text(row.result.prefill).c_str(),
                row.integer_share * 100, spread_text(row.result.decode).c_str(), row.bandwidth_share * 100);
  return text;
}

Result<std::vector<BenchCase>> cases_of(const Arguments& arguments) {
  ONDOL_TRY(const std::vector<int32_t> batches, number_list(arguments.batches, 1, kBatchMax, "--batch"));
  ONDOL_TRY(std::vector<int32_t> depths,
            number_list(arguments.depths, 0, LocalRunner::kContextMax, "--depth"));
  std::sort(depths.begin(), depths.end());  // a deeper context goes on from the one before
  std::vector<BenchCase> cases;
  for (const int32_t depth : depths) {
    for (const int32_t batch : batches) cases.push_back({batch, depth});
  }
  return cases;
}

Ceiling measure_ceiling(int threads) {
  ProgressLine progress("measuring the machine");
  Ceiling ceiling;
  ceiling.bandwidth =
      measure_read_bandwidth(threads, available_memory_bytes(real_file_system()), kProbeRounds);
  progress.update(0.5);
  ceiling.integer_peak = measure_integer_peak(threads, kProbeRounds);
  return ceiling;
}

Result<Row> measure_row(Bench& bench, const BenchCase& bench_case, const LocalRunner& runner,
                        const Ceiling& ceiling) {
  ProgressLine progress("batch " + std::to_string(bench_case.batch) + ", depth " +
                        std::to_string(bench_case.depth));
  Row row;
  row.bench_case = bench_case;
  ONDOL_TRY(row.result, bench.measure(bench_case, [&](double share) { progress.update(share); }));
  const double steps_per_s = row.result.decode.median / bench_case.batch;
  row.bandwidth_share = share_of(steps_per_s * static_cast<double>(runner.info().token_read_bytes),
                                 ceiling.bandwidth.bytes_per_s);
  row.integer_share =
      share_of(2.0 * static_cast<double>(prompt_multiply_adds(runner.spec())) * row.result.prefill.median,
               ceiling.integer_peak.ops_per_s);
  return row;
}

Result<bool> bench_model(const Arguments& arguments, const std::vector<BenchCase>& cases) {
  ONDOL_TRY(std::shared_ptr<const gguf::File> file, open_file(arguments.model));
  const int64_t context =
      int64_t{cases.back().depth} + std::max({arguments.plan.prompt, arguments.plan.gen, 1});
  if (context > LocalRunner::kContextMax) {
    return Error{Code::kInvalidArgument, "a context of " + std::to_string(context) + " tokens", "--depth"};
  }
  ONDOL_TRY(const std::unique_ptr<LocalRunner> runner,
            open_runner(std::move(file), arguments.options, static_cast<int32_t>(context)));
  const Ceiling ceiling =
      measure_ceiling(arguments.options.threads > 0 ? arguments.options.threads : default_threads());
  if (!arguments.json && !print(heading(arguments.plan, runner->info(), ceiling))) return false;
  Bench bench(*runner, arguments.plan);
  ordered_json rows = ordered_json::array();
  for (const BenchCase& bench_case : cases) {
    ONDOL_TRY(const Row row, measure_row(bench, bench_case, *runner, ceiling));
    rows.push_back(row_json(row, arguments.plan, runner->info(), ceiling));
    if (!arguments.json && !print(row_text(row, arguments.plan))) return false;
  }
  return !arguments.json || print(rows.dump(2) + "\n");
}

}  // namespace

int run_bench(int argc, char** argv) {
  CLI::App app(
      "Measures prompt processing and generation, each beginning at --depth tokens of context, and says what "
      "share of the machine's read bandwidth and integer peak was reached.");
  Arguments arguments;
  const CLI::Range tokens(0, LocalRunner::kContextMax);
  app.add_option("MODEL", arguments.model, "GGUF file")->required();
  app.add_option("--prompt", arguments.plan.prompt, "tokens of a prompt")
      ->check(tokens)
      ->capture_default_str();
  app.add_option("--gen", arguments.plan.gen, "tokens that a stream generates")
      ->check(tokens)
      ->capture_default_str();
  app.add_option("--batch", arguments.batches, "streams at once, e.g. 1,8")->capture_default_str();
  app.add_option("--depth", arguments.depths, "tokens of context before, e.g. 0,4096")->capture_default_str();
  app.add_option("--repeat", arguments.plan.repeat, "repetitions of a case")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--json", arguments.json, "one array, an object a case");
  add_model_options(app, arguments.options);
  if (const auto code = parse_command_line(app, argc, argv)) return *code;
  arguments.plan.chunk = arguments.options.prefill_chunk;

  const auto cases = cases_of(arguments);
  if (!cases) {
    report(cases.error());
    return kExitUsage;
  }
  const Result<bool> done = bench_model(arguments, *cases);
  if (!done) return report(done.error());
  return *done ? kExitOk : kExitFailed;
}

}  // namespace ondol
