// One answer everywhere: the bits of a token's logits do not depend on how a prompt is cut into passes, on
// what else is in the batch, on the number of threads, or on the instruction set.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/gguf/reader.h"
#include "core/runner/local_runner.h"
#include "kernels/cpu/dispatch.h"
#include "tests/skip.h"

namespace ondol {
namespace {

std::unique_ptr<LocalRunner> open_runner(const std::string& path, const std::string& isa, int threads,
                                         const std::string& kv_type = "auto") {
  auto opened = gguf::File::open(real_file_system(), path);
  REQUIRE(opened.has_value());
  LocalRunnerOptions options;
  options.isa = isa;
  options.threads = threads;
  options.kv_type = kv_type;
  options.context = 256;
  options.kv_bytes_max = 256 << 20;
  options.memory_bytes = int64_t{4} << 30;
  auto runner =
      LocalRunner::create(real_file_system(), std::shared_ptr<const gguf::File>(std::move(*opened)), options);
  INFO((runner ? std::string() : runner.error().text()));
  REQUIRE(runner.has_value());
  return std::move(*runner);
}

std::vector<TokenId> some_tokens(int count, int seed, int64_t vocabulary) {
  std::vector<TokenId> list;
  uint32_t state = static_cast<uint32_t>(seed) * 2654435761u + 1;
  for (int i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    list.push_back(static_cast<TokenId>((state >> 8) % static_cast<uint64_t>(vocabulary)));
  }
  return list;
}

BatchItem item_of(SequenceId sequence, int32_t position, std::vector<TokenId> list, bool all_rows) {
  BatchItem item;
  item.sequence = sequence;
  item.position = position;
  item.tokens = std::move(list);
  for (int32_t i = 0; all_rows && i < static_cast<int32_t>(item.tokens.size()); ++i)
    item.logits_rows.push_back(i);
  return item;
}

// Logits of all tokens of a prompt that is run in pieces, beside `others` other sequences that grow at other
// paces.
std::vector<float> logits_of(LocalRunner& runner, const std::vector<TokenId>& prompt, int piece, int others) {
  std::vector<SequenceId> opened;
  std::vector<SequenceId> crowd;
  for (int i = 0; i < others; ++i) crowd.push_back(runner.open_sequence());
  const SequenceId sequence = runner.open_sequence();
  std::vector<float> all;
  const int count = static_cast<int>(prompt.size());
  for (int begin = 0; begin < count; begin += piece) {
    const int end = std::min(count, begin + piece);
    Batch batch;
    for (int i = 0; i < others; ++i) {
      const int32_t length = runner.length(crowd[static_cast<size_t>(i)]);
      const int more = std::min(1 + 3 * i, 256 - length);
      if (i == others / 2)
        batch.items.push_back(item_of(sequence, begin, {prompt.begin() + begin, prompt.begin() + end}, true));
      if (more > 0) {
        batch.items.push_back(item_of(crowd[static_cast<size_t>(i)], length,
                                      some_tokens(more, i + begin, runner.info().vocabulary), false));
      }
    }
    if (others == 0)
      batch.items.push_back(item_of(sequence, begin, {prompt.begin() + begin, prompt.begin() + end}, true));
    BatchLogits logits;
    REQUIRE(runner.run(batch, logits, nullptr));
    all.insert(all.end(), logits.values.begin(), logits.values.end());
  }
  runner.close_sequence(sequence);
  for (const SequenceId each : crowd) runner.close_sequence(each);
  return all;
}

void check_one_answer(const std::string& path, const std::vector<int>& pieces, int prompt_tokens,
                      int twin_tokens) {
  INFO(path);
  const std::string fastest(kernels::available_tables().front()->name);
  auto one = open_runner(path, fastest, 1);
  const std::vector<TokenId> prompt = some_tokens(prompt_tokens, 7, one->info().vocabulary);
  const std::vector<float> want = logits_of(*one, prompt, prompt_tokens, 0);
  for (const int piece : pieces) {
    INFO("pieces of ", piece);
    CHECK(logits_of(*one, prompt, piece, 0) == want);
  }
  CHECK(logits_of(*one, prompt, 32, 7) == want);
  auto two = open_runner(path, fastest, 2);
  CHECK(logits_of(*two, prompt, prompt_tokens, 0) == want);
  CHECK(logits_of(*two, prompt, 13, 7) == want);
  auto three = open_runner(path, fastest, 3);
  CHECK(logits_of(*three, prompt, 50, 3) == want);

  const std::vector<TokenId> start(prompt.begin(), prompt.begin() + twin_tokens);
  const size_t floats = start.size() * static_cast<size_t>(one->info().vocabulary);
  for (const kernels::KernelTable* table : kernels::available_tables()) {
    if (table->numerics_id != one->info().numerics_id || table->name == fastest) continue;
    INFO(table->name);
    auto other = open_runner(path, std::string(table->name), 2);
    const std::vector<float> got = logits_of(*other, start, twin_tokens, 0);
    CHECK(std::equal(got.begin(), got.end(), want.begin(), want.begin() + static_cast<int64_t>(floats)));
  }
}

}  // namespace

TEST_CASE(
    "one answer: tiny models of every architecture, whatever the cut, the batch, the threads and the table") {
  // The thread sanitizer makes a pass a hundred times slower, and it looks at threads, not at bits.
#if defined(__SANITIZE_THREAD__)
  const std::vector<const char*> models = {"gemma3", "qwen3moe"};
  const std::vector<int> pieces = {65};
  const int twin_tokens = 4;
#else
  const std::vector<const char*> models = {"llama",      "llama-bias",    "mistral",  "mixtral", "qwen2",
                                           "qwen2-yarn", "qwen3",         "qwen3moe", "gemma2",  "gemma3",
                                           "phi3",       "phi3-longrope", "smollm3",  "exaone",  "exaone4"};
  const std::vector<int> pieces = {1, 3, 17, 64, 65};
  const int twin_tokens = 150;
#endif
  for (const char* model : models) {
    check_one_answer(std::string(ONDOL_TEST_DATA) + "/tiny/" + model + ".gguf", pieces, 150, twin_tokens);
  }
}

TEST_CASE("one answer: float tables too, whatever the cut, the batch and the threads") {
  for (const char* model : {"llama", "gemma3", "qwen3moe"}) {
    const std::string path = std::string(ONDOL_TEST_DATA) + "/tiny/" + model + ".gguf";
    auto one = open_runner(path, "reference", 1);
    auto two = open_runner(path, "reference", 2);
    const std::vector<TokenId> prompt = some_tokens(150, 7, one->info().vocabulary);
    const std::vector<float> want = logits_of(*one, prompt, 150, 0);
    CHECK(logits_of(*one, prompt, 1, 0) == want);
    CHECK(logits_of(*two, prompt, 13, 7) == want);
  }
}

TEST_CASE("one answer: every type of KV memory gives one, of its own") {
  const std::string path = std::string(ONDOL_TEST_DATA) + "/tiny/llama.gguf";
  for (const char* kv_type : {"f32", "f16", "bf16"}) {
    auto runner = open_runner(path, "auto", 2, kv_type);
    const std::vector<TokenId> prompt = some_tokens(150, 7, runner->info().vocabulary);
    CHECK(logits_of(*runner, prompt, 150, 0) == logits_of(*runner, prompt, 11, 3));
  }
}

TEST_CASE("one answer: SmolLM2, whatever the cut, the batch, the threads and the table") {
  const char* folder = std::getenv("ONDOL_MODELS");
  const std::string path = folder == nullptr ? "" : std::string(folder) + "/smollm2-135m.gguf";
  if (path.empty() || !std::filesystem::exists(path)) ONDOL_SKIP("no smollm2-135m.gguf in ONDOL_MODELS");
  check_one_answer(path, {1, 32}, 96, 32);
}

}  // namespace ondol
