#include "core/runner/local_runner.h"

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/temporary_folder.h"
#include "core/gguf/reader.h"

namespace ondol {
namespace {

std::string tiny_path(const std::string& model) {
  return std::string(ONDOL_TEST_DATA) + "/tiny/" + model + ".gguf";
}

std::shared_ptr<const gguf::File> open_file(const std::string& path) {
  auto opened = gguf::File::open(real_file_system(), path);
  REQUIRE(opened.has_value());
  return std::shared_ptr<const gguf::File>(std::move(*opened));
}

LocalRunnerOptions small_options(const std::string& isa = "twin") {
  LocalRunnerOptions options;
  options.isa = isa;
  options.threads = 1;
  options.memory_bytes = 64 << 20;
  options.kv_bytes_max = 1 << 20;
  return options;
}

Result<std::unique_ptr<LocalRunner>> make(const LocalRunnerOptions& options,
                                          const std::string& model = "llama") {
  return LocalRunner::create(real_file_system(), open_file(tiny_path(model)), options);
}

std::vector<TokenId> tokens(int count, int seed = 1) {
  std::vector<TokenId> list;
  for (int i = 0; i < count; ++i) list.push_back((i * 29 + seed * 17 + i * i * 5) % 64);
  return list;
}

// The logits of the last token after appending `list`.
Result<std::vector<float>> append(Runner& runner, SequenceId sequence, std::vector<TokenId> list,
                                  const std::atomic<bool>* stop = nullptr) {
  BatchItem item;
  item.sequence = sequence;
  item.position = runner.length(sequence);
  item.logits_rows = {static_cast<int32_t>(list.size()) - 1};
  item.tokens = std::move(list);
  Batch batch;
  batch.items.push_back(std::move(item));
  BatchLogits logits;
  ONDOL_RETURN_IF_ERROR(runner.run(batch, logits, stop));
  return logits.values;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("local runner: a fork and a cut sequence go on with the same bits as one that was never longer") {
  for (const char* model : {"llama", "gemma3", "exaone4"}) {
    auto runner = make(small_options(), model).value();
    const SequenceId plain = runner->open_sequence();
    REQUIRE(append(*runner, plain, tokens(70)));
    const std::vector<float> want = append(*runner, plain, {5, 6, 7}).value();

    const SequenceId longer = runner->open_sequence();
    REQUIRE(append(*runner, longer, tokens(70)));
    REQUIRE(append(*runner, longer, tokens(75, 9)));
    const SequenceId fork = runner->fork_sequence(longer, 70).value();
    REQUIRE(runner->truncate(longer, 70));
    CHECK(append(*runner, longer, {5, 6, 7}).value() == want);
    CHECK(append(*runner, fork, {5, 6, 7}).value() == want);
    for (const SequenceId each : {plain, longer, fork}) runner->close_sequence(each);
    CHECK(runner->pages_free() == runner->info().pages_total);
  }
}

TEST_CASE("local runner: a stopped run leaves every sequence and the pool as they were") {
  auto runner = make(small_options()).value();
  const SequenceId sequence = runner->open_sequence();
  REQUIRE(append(*runner, sequence, tokens(10)));
  const int64_t free = runner->pages_free();
  std::atomic<bool> stop{true};
  const auto stopped = append(*runner, sequence, tokens(100), &stop);
  REQUIRE(!stopped);
  CHECK(stopped.error().code == Code::kCancelled);
  CHECK(runner->length(sequence) == 10);
  CHECK(runner->pages_free() == free);

  stop = false;
  const SequenceId fresh = runner->open_sequence();
  REQUIRE(append(*runner, fresh, tokens(10)));
  CHECK(append(*runner, sequence, {3}, &stop).value() == append(*runner, fresh, {3}).value());
}

TEST_CASE("local runner: a batch that is too large for the pool changes nothing") {
  LocalRunnerOptions options = small_options();
  options.kv_bytes_max = 3 * make(small_options()).value()->info().page_bytes;
  options.context = 128;
  auto runner = make(options).value();
  CHECK(runner->info().pages_total == 3);
  Batch batch;
  for (int i = 0; i < 2; ++i) {
    BatchItem item;
    item.sequence = runner->open_sequence();
    item.tokens = tokens(100);
    batch.items.push_back(item);
  }
  BatchLogits logits;
  const auto full = runner->run(batch, logits, nullptr);
  REQUIRE(!full);
  CHECK(full.error().code == Code::kResourceExhausted);
  CHECK(contains(full.error().message, "4 pages"));
  CHECK(contains(full.error().message, "3 are free"));
  CHECK(runner->pages_free() == 3);
  CHECK(runner->pages_needed(batch.items[0].sequence, 100) == 2);
}

TEST_CASE("local runner: a batch that makes no sense is an error that names the item") {
  auto runner = make(small_options()).value();
  const SequenceId sequence = runner->open_sequence();
  BatchItem good;
  good.sequence = sequence;
  good.tokens = {1, 2, 3};
  good.logits_rows = {2};
  const auto code_of = [&](std::vector<BatchItem> items) {
    BatchLogits logits;
    const auto result = runner->run(Batch{std::move(items)}, logits, nullptr);
    REQUIRE(!result);
    CHECK(contains(result.error().where, "items["));
    CHECK(runner->length(sequence) == 0);
    return result.error().code;
  };
  const auto changed = [&](auto change) {
    BatchItem item = good;
    change(item);
    return std::vector<BatchItem>{item};
  };
  CHECK(code_of(changed([](BatchItem& i) { i.sequence = 99; })) == Code::kInvalidArgument);
  CHECK(code_of(changed([](BatchItem& i) { i.position = 1; })) == Code::kInvalidArgument);
  CHECK(code_of(changed([](BatchItem& i) { i.tokens[1] = 64; })) == Code::kInvalidArgument);
  CHECK(code_of(changed([](BatchItem& i) { i.tokens[1] = -1; })) == Code::kInvalidArgument);
  CHECK(code_of(changed([](BatchItem& i) { i.logits_rows = {3}; })) == Code::kInvalidArgument);
  CHECK(code_of(changed([](BatchItem& i) { i.logits_rows = {1, 1}; })) == Code::kInvalidArgument);
  CHECK(code_of(changed([](BatchItem& i) { i.adapter = 0; })) == Code::kUnsupported);
  CHECK(code_of(changed([](BatchItem& i) { i.tokens = tokens(257); })) == Code::kContextLength);
  CHECK(code_of({good, good}) == Code::kInvalidArgument);
}

TEST_CASE("local runner: an empty item, no wanted rows, and a batch longer than a pass") {
  LocalRunnerOptions options = small_options();
  options.context = 3000;
  options.kv_bytes_max = 8 << 20;
  auto runner = make(options).value();
  Batch batch;
  for (const int count : {0, 500, 400, 300}) {  // a pass takes 1024 tokens
    BatchItem item;
    item.sequence = runner->open_sequence();
    item.tokens = tokens(count, count);
    if (count > 0) item.logits_rows = {0, count - 1};
    batch.items.push_back(item);
  }
  batch.items[2].logits_rows.clear();
  BatchLogits logits;
  REQUIRE(runner->run(batch, logits, nullptr));
  REQUIRE(logits.rows() == 4);
  const SequenceId alone = runner->open_sequence();
  const std::vector<float> want = append(*runner, alone, tokens(500, 500)).value();
  CHECK(std::vector<float>(logits.row(1).begin(), logits.row(1).end()) == want);
  const SequenceId other = runner->open_sequence();
  CHECK(std::vector<float>(logits.row(3).begin(), logits.row(3).end()) ==
        append(*runner, other, tokens(300, 300)).value());
  CHECK(runner->length(batch.items[2].sequence) == 400);
}

TEST_CASE("local runner: a context beyond the trained one is a loud warning") {
  LocalRunnerOptions options = small_options();
  options.context = 512;
  auto runner = make(options).value();
  CHECK(runner->info().context == 512);
  CHECK(runner->info().context_trained == 256);
  REQUIRE(runner->info().warnings.size() == 1);
  CHECK(contains(runner->info().warnings[0], "512"));
  CHECK(contains(runner->info().warnings[0], "256"));
}

TEST_CASE("local runner: without a wish the context is the trained one, or as much as the memory holds") {
  CHECK(make(small_options()).value()->info().context == 256);
  CHECK(make(small_options()).value()->info().warnings.empty());
  LocalRunnerOptions options = small_options();
  options.kv_bytes_max = 2 * make(options).value()->info().page_bytes;
  auto runner = make(options).value();
  CHECK(runner->info().context == 128);
  REQUIRE(runner->info().warnings.size() == 1);
  CHECK(contains(runner->info().warnings[0], "256"));
  CHECK(contains(runner->info().warnings[0], "128"));
}

TEST_CASE("local runner: a context or a model larger than the memory is an error with both numbers") {
  LocalRunnerOptions options = small_options();
  options.context = 1 << 20;
  auto refused = make(options);
  REQUIRE(!refused);
  CHECK(refused.error().code == Code::kResourceExhausted);
  CHECK(refused.error().where == "context");
  CHECK(contains(refused.error().message, "1048576 tokens"));
  CHECK(contains(refused.error().message, "there are 1 MiB"));

  options = small_options();
  options.memory_bytes = 1 << 20;
  refused = make(options);
  REQUIRE(!refused);
  CHECK(refused.error().code == Code::kResourceExhausted);
  CHECK(contains(refused.error().message, "there are 1 MiB"));
}

TEST_CASE("local runner: options that make no sense name themselves and say what is known") {
  LocalRunnerOptions options = small_options();
  options.isa = "mmx";
  CHECK(make(options).error().where == "isa");
  CHECK(contains(make(options).error().message, "reference"));
  options = small_options();
  options.kv_type = "q1";
  CHECK(make(options).error().where == "kv_type");
  CHECK(contains(make(options).error().message, "f16"));
  options = small_options();
  options.threads = -1;
  CHECK(make(options).error().where == "threads");
}

TEST_CASE("local runner: a packed model goes on when its file is cut; one that is read in place refuses") {
  for (const char* isa : {"auto", "twin", "reference"}) {
    TemporaryFolder folder;
    const std::string path = folder.path("모델 (새).gguf");
    std::filesystem::copy_file(tiny_path("llama"), path);
    auto runner = LocalRunner::create(real_file_system(), open_file(path), small_options(isa)).value();
    const SequenceId sequence = runner->open_sequence();
    REQUIRE(append(*runner, sequence, tokens(5)));
    std::filesystem::resize_file(path, 100);
    const auto after = append(*runner, sequence, {1});
    if (runner->info().kernels != "twin" && runner->info().kernels != "reference") {
      CHECK(after.has_value());
    } else {
      REQUIRE(!after);
      CHECK(after.error().code == Code::kDataLoss);
      CHECK(contains(after.error().text(), path));
      CHECK(runner->length(sequence) == 5);
    }
  }
}

TEST_CASE("local runner: loading reports its progress and can be stopped") {
  std::vector<int64_t> done;
  int64_t total = 0;
  const auto progress = [&](int64_t bytes_done, int64_t bytes_total) {
    done.push_back(bytes_done);
    total = bytes_total;
  };
  const auto file = open_file(tiny_path("qwen3moe"));
  REQUIRE(LocalRunner::create(real_file_system(), file, small_options(), progress));
  CHECK(std::is_sorted(done.begin(), done.end()));
  CHECK(done.back() == total);
  std::atomic<bool> stop{true};
  const auto stopped = LocalRunner::create(real_file_system(), file, small_options(), {}, &stop);
  REQUIRE(!stopped);
  CHECK(stopped.error().code == Code::kCancelled);
}

TEST_CASE("local runner: what it says about the model") {
  const auto runner = make(small_options(), "qwen2").value();
  const RunnerInfo& info = runner->info();
  CHECK(info.architecture == "qwen2");
  CHECK(info.kernels == "twin");
  CHECK(info.numerics_id == kernels::kQuantizedNumerics);
  CHECK(info.kv_type == "f16");
  CHECK(info.vocabulary == 64);
  CHECK(info.threads == 1);
  CHECK(info.page_bytes == 2 * 2 * 2 * 8 * 64 * 2);  // layers, K and V, heads, head_dim, tokens, bytes
  CHECK(info.parameters > 10000);
  CHECK(info.token_read_bytes == info.parameters * 4);  // float32, tied embeddings
  CHECK(info.weights_bytes > 0);
}

}  // namespace ondol
