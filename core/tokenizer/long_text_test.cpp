// Long unbroken runs: time linear in the text, and a small stack is enough.
#include <doctest/doctest.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/tokenizer/pre_tokenizer.h"
#include "core/tokenizer/test_vocabularies.h"
#include "core/tokenizer/tokenizer.h"

namespace ondol {
namespace {

constexpr size_t kStackBytes = 256 << 10;

constexpr std::string_view kUnits[] = {"Z",  "z",  "가",       "漢",   ".",   " ",          "\n", "\r\n",
                                       "1",  "é",  "\xCC\x81", "🙂", "'",   "\t ",        "aB", " a",
                                       "a ", "1a", "\xFF",     " \n",  "\n ", "Aé\xCC\x81", "ǅ"};

std::string run_of(std::string_view unit, size_t characters) {
  std::string text;
  for (size_t i = 0; i < characters; ++i) text += unit;
  return text;
}

// Runs `work` on a thread whose stack is 256 KB.
void on_small_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  REQUIRE_EQ(pthread_attr_init(&attributes), 0);
  REQUIRE_EQ(pthread_attr_setstacksize(&attributes, kStackBytes), 0);
  pthread_t thread;
  const auto entry = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  REQUIRE_EQ(pthread_create(&thread, &attributes, entry, const_cast<void*>(static_cast<const void*>(&work))),
             0);
  REQUIRE_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The least time of several runs.
double least_seconds(int repeats, const std::function<void()>& work) {
  double least = 1e9;
  for (int i = 0; i < repeats; ++i) {
    const double start = cpu_seconds();
    work();
    least = std::min(least, cpu_seconds() - start);
  }
  return least;
}

// time(2n) / time(n); a measurement that looks bad is taken again, since the machine may be busy.
double growth(const std::function<void(const std::string&)>& work, std::string_view unit, size_t characters) {
  const std::string once = run_of(unit, characters);
  const std::string twice = once + once;
  double best = 1e9;
  for (int attempt = 0; attempt < 5 && best >= 2.7; ++attempt) {
    const double first = least_seconds(3, [&] { work(once); });
    const double second = least_seconds(3, [&] { work(twice); });
    best = std::min(best, second / std::max(first, 1e-6));
  }
  return best;
}

TEST_CASE("long text: B01 a million characters without a break need no deep stack to be cut") {
  on_small_stack([] {
    for (const std::string_view name :
         {"default", "gpt-2", "llama-bpe", "gpt-4o", "deepseek-llm", "deepseek-v3", "exaone-moe"}) {
      const PreTokenizer pre_tokenizer = *find_pre_tokenizer(name);
      for (const std::string_view unit : {"Z", "가", ".", " ", "\n", "7"}) {
        const std::string text = run_of(unit, 1'000'000);
        CHECK_EQ(pre_tokenizer.split(text).back(), text.size());
      }
    }
  });
}

TEST_CASE(
    "long text: B01 a million characters of one kind are encoded and come back, BPE and SentencePiece") {
  on_small_stack([] {
    const std::unique_ptr<Tokenizer> tokenizers[] = {make_tokenizer(bpe_test_vocabulary("llama-bpe")).value(),
                                                     make_tokenizer(spm_test_vocabulary()).value()};
    for (const auto& tokenizer : tokenizers) {
      for (const std::string_view unit : {"Z", "가", ".", " ", "\n"}) {
        const std::string text = run_of(unit, 1'000'000);
        CHECK(tokenizer->decode(tokenizer->encode(text, false), false) == text);
      }
    }
  });
}

TEST_CASE("long text: B01 twice the text takes less than three times as long to cut, in every family") {
  for (const std::string_view name :
       {"default",      "gpt-2",          "smollm",      "falcon",     "llama-bpe", "minicpm5", "qwen2",
        "qwen35",       "seed-coder",     "laguna",      "gpt-4o",     "tekken",    "tiny_aya", "youtu",
        "deepseek-llm", "deepseek-coder", "deepseek-v3", "exaone-moe", "bloom",     "viking",   "gemma4"}) {
    const PreTokenizer pre_tokenizer = *find_pre_tokenizer(name);
    for (const std::string_view unit : kUnits) {
      CAPTURE(name);
      CAPTURE(unit);
      CHECK_LT(growth([&](const std::string& text) { (void)pre_tokenizer.split(text); }, unit, 8'000), 3.0);
    }
  }
}

TEST_CASE("long text: B01 twice the text takes less than three times as long to encode") {
  const std::unique_ptr<Tokenizer> tokenizers[] = {make_tokenizer(bpe_test_vocabulary("llama-bpe")).value(),
                                                   make_tokenizer(spm_test_vocabulary()).value()};
  for (const auto& tokenizer : tokenizers) {
    for (const std::string_view unit : kUnits) {
      CAPTURE(unit);
      CHECK_LT(growth([&](const std::string& text) { (void)tokenizer->encode(text, true); }, unit, 20'000),
               3.0);
    }
  }
}

}  // namespace
}  // namespace ondol
