#include "app/commands/run_tokens.h"

#include <algorithm>
#include <numeric>

namespace ondol::commands {
namespace {

Batch batch_of(const Runner& runner, SequenceId sequence, std::span<const TokenId> ids) {
  Batch batch;
  BatchItem& item = batch.items.emplace_back();
  item.sequence = sequence;
  item.tokens.assign(ids.begin(), ids.end());
  item.position = runner.length(sequence);
  return batch;
}

}  // namespace

Result<void> append_tokens(Runner& runner, SequenceId sequence, std::span<const TokenId> ids, int32_t chunk,
                           BatchLogits& logits) {
  while (!ids.empty()) {
    const auto part = ids.first(std::min(ids.size(), static_cast<size_t>(chunk)));
    Batch batch = batch_of(runner, sequence, part);
    if (part.size() == ids.size())
      batch.items[0].logits_rows.push_back(static_cast<int32_t>(part.size()) - 1);
    ONDOL_RETURN_IF_ERROR(runner.run(batch, logits, nullptr));
    ids = ids.subspan(part.size());
  }
  return {};
}

Result<void> append_tokens_with_logits(Runner& runner, SequenceId sequence, std::span<const TokenId> ids,
                                       int32_t chunk,
                                       const std::function<void(size_t, std::span<const float>)>& row) {
  BatchLogits logits;
  for (size_t begin = 0; begin < ids.size();) {
    const auto part = ids.subspan(begin, std::min(ids.size() - begin, static_cast<size_t>(chunk)));
    Batch batch = batch_of(runner, sequence, part);
    batch.items[0].logits_rows.resize(part.size());
    std::iota(batch.items[0].logits_rows.begin(), batch.items[0].logits_rows.end(), 0);
    ONDOL_RETURN_IF_ERROR(runner.run(batch, logits, nullptr));
    for (size_t i = 0; i < part.size(); ++i) row(begin + i, logits.row(static_cast<int64_t>(i)));
    begin += part.size();
  }
  return {};
}

}  // namespace ondol::commands
