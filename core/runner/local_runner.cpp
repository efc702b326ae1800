#include "core/runner/local_runner.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include "core/model/tensors.h"
#include "core/runner/memory_budget.h"
#include "kernels/cpu/dispatch.h"

namespace ondol {
namespace {

using kernels::kPageTokens;
using kernels::KvType;

std::string mebibytes(int64_t bytes) { return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB"; }

Result<KvType> kv_type_of(const std::string& name, const kernels::KernelTable& table) {
  if (name == "auto" || name.empty()) return table.quantizes ? KvType::kF16 : KvType::kF32;
  std::string known;
  for (const KvType type : {KvType::kF32, KvType::kF16, KvType::kBF16}) {
    if (kernels::kv_type_name(type) == name) return type;
    known += (known.empty() ? "" : ", ") + std::string(kernels::kv_type_name(type));
  }
  return Error{Code::kInvalidArgument, "\"" + name + "\" is not a type of KV memory; known: auto, " + known,
               "kv_type"};
}

Result<const kernels::KernelTable*> table_of(const std::string& name) {
  const kernels::KernelTable* table = kernels::find_table(name.empty() ? "auto" : name);
  if (table != nullptr) return table;
  std::string known = "auto";
  for (const kernels::KernelTable* each : kernels::available_tables())
    known += ", " + std::string(each->name);
  return Error{Code::kInvalidArgument, "\"" + name + "\" does not run on this machine; what does: " + known,
               "isa"};
}

int64_t pages_for(int64_t tokens) { return (tokens + kPageTokens - 1) / kPageTokens; }

}  // namespace

LocalRunner::LocalRunner(FileSystem& files, model::ModelSpec spec, int threads)
    : files_(files), spec_(std::move(spec)), team_(threads) {}

Result<std::unique_ptr<LocalRunner>> LocalRunner::create(FileSystem& files,
                                                         std::shared_ptr<const gguf::File> file,
                                                         const LocalRunnerOptions& options,
                                                         const model::LoadProgress& progress,
                                                         const std::atomic<bool>* stop) {
  ONDOL_TRY(const kernels::KernelTable* table, table_of(options.isa));
  ONDOL_TRY(const KvType kv_type, kv_type_of(options.kv_type, *table));
  if (options.threads < 0 || options.threads > ThreadTeam::kThreadsMax) {
    return Error{Code::kInvalidArgument, std::to_string(options.threads) + " threads", "threads"};
  }
  if (options.context < 0 || options.context > kContextMax) {
    return Error{Code::kInvalidArgument,
                 "a context of " + std::to_string(options.context) + " tokens; the most is " +
                     std::to_string(kContextMax),
                 "context"};
  }
  ONDOL_TRY(model::ModelSpec spec, model::read_model_spec(*file));
  ONDOL_TRY(const model::MemoryEstimate estimate, model::estimate_memory(*file, {table, kv_type}));
  const int64_t memory = options.memory_bytes > 0 ? options.memory_bytes : available_memory_bytes(files);
  const int64_t fixed = estimate.weights_bytes + estimate.activation_bytes;
  if (fixed + estimate.kv_page_bytes > memory) {
    return Error{
        Code::kResourceExhausted,
        "the model needs " + mebibytes(fixed + estimate.kv_page_bytes) + ", there are " + mebibytes(memory),
        file->path()};
  }

  const int threads = options.threads > 0 ? options.threads : default_threads();
  std::unique_ptr<LocalRunner> runner(new LocalRunner(files, std::move(spec), threads));
  RunnerInfo& info = runner->info_;
  info.architecture = runner->spec_.architecture;
  info.kernels = std::string(table->name);
  info.numerics_id = std::string(table->numerics_id);
  info.kv_type = std::string(kernels::kv_type_name(kv_type));
  info.vocabulary = runner->spec_.vocabulary;
  info.context_trained = runner->spec_.context_trained;
  info.threads = threads;
  info.page_tokens = kPageTokens;
  ONDOL_RETURN_IF_ERROR(runner->choose_sizes(options, estimate.kv_page_bytes, memory - fixed));
  ONDOL_TRY(kv::PagePool pool, kv::PagePool::create(info.page_bytes, info.pages_total));
  runner->pool_ = std::make_unique<kv::PagePool>(std::move(pool));
  runner->sequences_ = std::make_unique<kv::SequenceTable>(*runner->pool_, kPageTokens);

  ONDOL_TRY(runner->weights_,
            model::load_weights(std::move(file), runner->spec_, *table, runner->team_, progress, stop));
  info.weights_bytes = runner->weights_.bytes_resident;
  info.token_read_bytes = runner->weights_.token_read_bytes;
  info.parameters = runner->weights_.parameters;
  runner->forward_ = std::make_unique<model::Forward>(runner->spec_, runner->weights_, *table, runner->team_,
                                                      model::ForwardOptions{kv_type, info.context});
  CHECK(runner->forward_->page_bytes() == info.page_bytes);
  return runner;
}

// The context and the number of pages. `available`: bytes that weights and activations leave.
Result<void> LocalRunner::choose_sizes(const LocalRunnerOptions& options, int64_t page_bytes,
                                       int64_t available) {
  const int64_t kv_bytes = options.kv_bytes_max > 0 ? options.kv_bytes_max : available / 2;
  const int64_t pages = std::min(kv_bytes / page_bytes, kv::PagePool::kPagesMax);
  if (kv_bytes > available) {
    return Error{Code::kResourceExhausted,
                 mebibytes(kv_bytes) + " for keys and values were asked for, there are " +
                     mebibytes(available) + " beside the weights",
                 "kv_bytes_max"};
  }
  if (pages < 1) {
    return Error{Code::kResourceExhausted,
                 "the least KV memory is " + mebibytes(page_bytes) + ", there are " + mebibytes(kv_bytes),
                 "kv_bytes_max"};
  }
  const int32_t trained = spec_.context_trained;
  const auto fit = static_cast<int32_t>(std::min<int64_t>(pages * kPageTokens, kContextMax));
  if (options.context > fit) {
    return Error{Code::kResourceExhausted,
                 "a context of " + std::to_string(options.context) + " tokens needs " +
                     mebibytes(pages_for(options.context) * page_bytes) + " for keys and values, there are " +
                     mebibytes(kv_bytes) + " (" + std::to_string(fit) + " tokens)",
                 "context"};
  }
  info_.context = options.context > 0 ? options.context : std::min(trained, fit);
  info_.page_bytes = page_bytes;
  info_.pages_total = pages;
  if (info_.context > trained) {
    info_.warnings.push_back("context " + std::to_string(info_.context) +
                             " was asked for, but the model was trained for " + std::to_string(trained) +
                             " tokens: answers beyond that will be poor");
  } else if (options.context == 0 && info_.context < trained) {
    info_.warnings.push_back("context reduced from the trained " + std::to_string(trained) + " tokens to " +
                             std::to_string(info_.context) + ": the KV memory of " + mebibytes(kv_bytes) +
                             " holds no more (" + mebibytes(pages_for(trained) * page_bytes) +
                             " would be needed)");
  }
  return {};
}

Result<SequenceId> LocalRunner::fork_sequence(SequenceId source, int32_t length) {
  return sequences_->fork(source, length);
}

Result<void> LocalRunner::truncate(SequenceId sequence, int32_t length) {
  return sequences_->truncate(sequence, length);
}

int64_t LocalRunner::pages_needed(SequenceId sequence, int32_t length) const {
  return sequences_->pages_needed(sequence, length);
}

Result<void> LocalRunner::check(const Batch& batch) const {
  std::unordered_set<SequenceId> seen;
  for (size_t i = 0; i < batch.items.size(); ++i) {
    const BatchItem& item = batch.items[i];
    const std::string where = "items[" + std::to_string(i) + "]";
    const auto invalid = [&](std::string message) {
      return Error{Code::kInvalidArgument, std::move(message), where};
    };
    if (!sequences_->contains(item.sequence))
      return invalid("there is no sequence " + std::to_string(item.sequence));
    if (!seen.insert(item.sequence).second) return invalid("the sequence stands in the batch twice");
    if (item.position != sequences_->length(item.sequence)) {
      return invalid("position " + std::to_string(item.position) + " of a sequence of " +
                     std::to_string(sequences_->length(item.sequence)) + " tokens");
    }
    if (item.adapter != -1) return Error{Code::kUnsupported, "there are no adapters", where};
    const int64_t end = item.position + static_cast<int64_t>(item.tokens.size());
    if (end > info_.context) {
      return Error{Code::kContextLength,
                   std::to_string(end) + " tokens, the context is " + std::to_string(info_.context), where};
    }
    for (const TokenId token : item.tokens) {
      if (token < 0 || token >= spec_.vocabulary) {
        return invalid("token " + std::to_string(token) + " of a vocabulary of " +
                       std::to_string(spec_.vocabulary));
      }
    }
    int32_t before = -1;
    for (const int32_t row : item.logits_rows) {
      if (row <= before || row >= static_cast<int32_t>(item.tokens.size())) {
        return invalid("logits_rows must ascend within the tokens");
      }
      before = row;
    }
  }
  return {};
}

// Makes room for every item, or for none.
Result<void> LocalRunner::reserve(const Batch& batch) {
  int64_t needed = 0;
  for (const BatchItem& item : batch.items) {
    needed +=
        sequences_->pages_needed(item.sequence, item.position + static_cast<int32_t>(item.tokens.size()));
  }
  if (needed > pool_->free_pages()) {
    return Error{Code::kResourceExhausted,
                 std::to_string(needed) + " pages of KV memory are needed, " +
                     std::to_string(pool_->free_pages()) + " are free",
                 ""};
  }
  for (const BatchItem& item : batch.items) {
    const Result<void> grown =
        sequences_->reserve(item.sequence, item.position + static_cast<int32_t>(item.tokens.size()));
    CHECK(grown.has_value());  // two sequences that share a page need at most what was counted
  }
  return {};
}

Result<void> LocalRunner::run_passes(const Batch& batch, float* logits, const std::atomic<bool>* stop) {
  std::vector<std::vector<std::byte*>> pages(batch.items.size());
  for (size_t i = 0; i < batch.items.size(); ++i) {
    for (const kv::PageHandle page : sequences_->pages(batch.items[i].sequence)) {
      pages[i].push_back(pool_->data(page));
    }
  }
  std::vector<model::SequenceView> views;
  std::vector<std::vector<int32_t>> wanted;  // of the views, counted from their first token
  wanted.reserve(batch.items.size());        // views point into it
  int64_t rows = 0, wanted_rows = 0;
  const auto flush = [&]() -> Result<void> {
    ONDOL_RETURN_IF_ERROR(forward_->run(views, logits, stop));
    logits += wanted_rows * spec_.vocabulary;
    views.clear();
    wanted.clear();
    rows = wanted_rows = 0;
    return {};
  };
  for (size_t i = 0; i < batch.items.size(); ++i) {
    const BatchItem& item = batch.items[i];
    const auto count = static_cast<int64_t>(item.tokens.size());
    for (int64_t begin = 0; begin < count;) {
      const int64_t end = std::min(count, begin + model::Forward::kRowsMax - rows);
      std::vector<int32_t>& list = wanted.emplace_back();
      for (const int32_t row : item.logits_rows) {
        if (row >= begin && row < end) list.push_back(row - static_cast<int32_t>(begin));
      }
      views.push_back(
          {std::span(item.tokens).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)),
           item.position + static_cast<int32_t>(begin), pages[i].data(), list});
      rows += end - begin;
      wanted_rows += static_cast<int64_t>(list.size());
      begin = end;
      if (rows == model::Forward::kRowsMax) ONDOL_RETURN_IF_ERROR(flush());
    }
  }
  return views.empty() ? Result<void>() : flush();
}

Result<void> LocalRunner::run(const Batch& batch, BatchLogits& logits, const std::atomic<bool>* stop) {
  if (weights_.file != nullptr && !weights_.file->unchanged(files_)) {
    return Error{Code::kDataLoss, "the model file was changed while it was in use", weights_.file->path()};
  }
  ONDOL_RETURN_IF_ERROR(check(batch));
  ONDOL_RETURN_IF_ERROR(reserve(batch));
  size_t rows = 0;
  for (const BatchItem& item : batch.items) rows += item.logits_rows.size();
  logits.vocabulary = spec_.vocabulary;
  logits.values.resize(rows * static_cast<size_t>(spec_.vocabulary));
  Result<void> done = run_passes(batch, logits.values.data(), stop);
  for (const BatchItem& item : batch.items) {
    if (done) {
      sequences_->set_length(item.sequence, item.position + static_cast<int32_t>(item.tokens.size()));
    } else {
      sequences_->release_unused(item.sequence);
    }
  }
  return done;
}

}  // namespace ondol
