#include "app/commands/eval_perplexity.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/progress_line.h"
#include "app/commands/run_tokens.h"
#include "core/base/file.h"
#include "core/sampling/log_probabilities.h"
#include "core/tokenizer/tokenizer.h"

namespace ondol::commands {
namespace {

constexpr int64_t kTextBytesMax = int64_t{64} << 20;
constexpr int64_t kLogitsBytesMax = int64_t{64} << 20;  // of one step

struct Measured {
  int64_t tokens = 0;
  double nll_mean = 0;
};

Result<std::vector<TokenId>> tokens_of(const gguf::File& file, const std::string& text_path) {
  ONDOL_TRY(const std::string text, read_text(real_file_system(), text_path, kTextBytesMax));
  ONDOL_TRY(const std::unique_ptr<Tokenizer> tokenizer, Tokenizer::load(file));
  std::vector<TokenId> ids = tokenizer->encode(text, false);
  begin_with_bos(*tokenizer, ids);
  return ids;
}

// The first `wanted` tokens; all that fit where that is 0.
Result<void> cut(std::vector<TokenId>& ids, int64_t wanted, int64_t context) {
  const auto count = static_cast<int64_t>(ids.size());
  if (wanted > count) {
    return Error{
        Code::kInvalidArgument,
        "the text has " + std::to_string(count) + " tokens, " + std::to_string(wanted) + " were asked for",
        ""};
  }
  if (wanted > context) {
    return Error{Code::kContextLength,
                 std::to_string(wanted) + " tokens were asked for, the context is " + std::to_string(context),
                 ""};
  }
  if (count < 2) return Error{Code::kInvalidArgument, "the text has fewer than two tokens", ""};
  ids.resize(static_cast<size_t>(wanted > 0 ? wanted : std::min(count, context)));
  return {};
}

Result<Measured> measure(Runner& runner, const std::vector<TokenId>& ids, int32_t chunk) {
  const int64_t rows_max =
      std::max<int64_t>(1, kLogitsBytesMax / (runner.info().vocabulary * int64_t{sizeof(float)}));
  const auto rows = static_cast<int32_t>(std::min<int64_t>(chunk, rows_max));
  const size_t predictions = ids.size() - 1;
  ProgressLine progress("measuring");
  const OpenSequence sequence(runner);
  double nll = 0;
  ONDOL_RETURN_IF_ERROR(append_tokens_with_logits(
      runner, sequence.id(), std::span(ids).first(predictions), rows,
      [&](size_t i, std::span<const float> logits) {
        nll += log_sum_exp(logits) - static_cast<double>(logits[static_cast<size_t>(ids[i + 1])]);
        progress.update(static_cast<double>(i) / static_cast<double>(predictions));
      }));
  if (!std::isfinite(nll)) return Error{Code::kInternal, "the logits are not finite", ""};
  return Measured{static_cast<int64_t>(ids.size()), nll / static_cast<double>(predictions)};
}

Result<Measured> measure_file(const std::string& model, const ModelOptions& options,
                              const PerplexityOptions& perplexity) {
  ONDOL_TRY(std::shared_ptr<const gguf::File> file, open_file(model));
  ONDOL_TRY(std::vector<TokenId> ids, tokens_of(*file, perplexity.text_path));
  ONDOL_TRY(const std::unique_ptr<LocalRunner> runner, open_runner(std::move(file), options));
  ONDOL_RETURN_IF_ERROR(cut(ids, perplexity.tokens, runner->info().context));
  return measure(*runner, ids, options.prefill_chunk);
}

}  // namespace

int eval_perplexity(const std::string& model, const ModelOptions& options,
                    const PerplexityOptions& perplexity) {
  const Result<Measured> measured = measure_file(model, options, perplexity);
  if (!measured) return report(measured.error());
  char text[256];
  std::snprintf(text, sizeof text,
                perplexity.json ? "{\"tokens\":%lld,\"nll_mean\":%.9g,\"perplexity\":%.9g}\n"
                                : "tokens %lld  mean negative log-likelihood %.6f  perplexity %.4f\n",
                static_cast<long long>(measured->tokens), measured->nll_mean, std::exp(measured->nll_mean));
  return print(text) ? kExitOk : kExitFailed;
}

}  // namespace ondol::commands
