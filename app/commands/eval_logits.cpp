#include "app/commands/eval_logits.h"

#include <cmath>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/commands/command_line.h"
#include "app/commands/json_lines.h"
#include "app/commands/run_tokens.h"
#include "core/sampling/log_probabilities.h"

namespace ondol::commands {
namespace {

using nlohmann::json;

std::string top_text(const std::vector<RankedToken>& top) {
  std::string text = "{\"top\":[";
  for (size_t i = 0; i < top.size(); ++i) {
    char entry[64];
    std::snprintf(entry, sizeof entry, "%s[%d,%.9g]", i == 0 ? "" : ",", top[i].id, top[i].logprob);
    text += entry;
  }
  return text + "]}";
}

Result<std::string> greedy(Runner& runner, const OpenSequence& sequence, BatchLogits& logits, int64_t count) {
  std::vector<TokenId> ids{best_token(logits.row(0))};
  while (static_cast<int64_t>(ids.size()) < count) {
    const TokenId last = ids.back();
    ONDOL_RETURN_IF_ERROR(append_tokens(runner, sequence.id(), std::span(&last, 1), 1, logits));
    ids.push_back(best_token(logits.row(0)));
  }
  return json{{"ids", ids}}.dump();
}

Result<std::string> answer(Runner& runner, int32_t chunk, const json& request) {
  ONDOL_TRY(const std::vector<TokenId> ids, token_ids(request, "ids"));
  ONDOL_TRY(const int64_t top, whole_number(request, "top", 1, runner.info().vocabulary, 0));
  ONDOL_TRY(const int64_t count, whole_number(request, "greedy", 1, runner.info().context, 0));
  if (ids.empty()) return Error{Code::kInvalidArgument, "at least one token is wanted", "ids"};
  if ((top > 0) == (count > 0))
    return Error{Code::kInvalidArgument, "either \"top\" or \"greedy\" is wanted", ""};
  const OpenSequence sequence(runner);
  BatchLogits logits;
  ONDOL_RETURN_IF_ERROR(append_tokens(runner, sequence.id(), ids, chunk, logits));
  const double log_sum = log_sum_exp(logits.row(0));
  if (!std::isfinite(log_sum)) return Error{Code::kInternal, "the logits are not finite", ""};
  if (count > 0) return greedy(runner, sequence, logits, count);
  return top_text(best_tokens(logits.row(0), top, log_sum));
}

}  // namespace

int eval_logits(const std::string& model, const ModelOptions& options) {
  auto file = open_file(model);
  if (!file) return report(file.error());
  auto runner = open_runner(std::move(*file), options);
  if (!runner) return report(runner.error());
  return answer_json_lines(
      std::cin, [&](const json& request) { return answer(**runner, options.prefill_chunk, request); });
}

}  // namespace ondol::commands
