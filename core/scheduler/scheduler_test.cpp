#include "core/scheduler/scheduler.h"

#include <doctest/doctest.h>

#include "core/scheduler/scripted_runner.h"

namespace ondol {
namespace {

using namespace std::chrono_literals;

// Gathers what a job produced; waits with a limit, so that a hung scheduler fails the test.
class Collector : public TokenSink {
 public:
  explicit Collector(int32_t choices, TokenId stop_at = -1)
      : ids(static_cast<size_t>(choices)), stop_at_(stop_at) {
    causes.resize(ids.size());
    finished.resize(ids.size());
  }
  Verdict on_token(int32_t choice, const Pick& pick) override {
    std::lock_guard lock(mutex_);
    ids[static_cast<size_t>(choice)].push_back(pick.id);
    wake_.notify_all();
    return pick.id == stop_at_ ? Verdict::kStop : Verdict::kContinue;
  }
  void on_finish(int32_t choice, FinishCause cause, const Error& error) override {
    std::lock_guard lock(mutex_);
    CHECK_FALSE(finished[static_cast<size_t>(choice)]);
    finished[static_cast<size_t>(choice)] = true;
    causes[static_cast<size_t>(choice)] = cause;
    last_error = error;
    ++finished_count_;
    wake_.notify_all();
  }
  void on_times(double, double, double) override {}
  bool wait() {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, 20s, [&] { return finished_count_ == ids.size(); });
  }
  bool wait_for_tokens(size_t count) {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, 20s, [&] { return ids[0].size() >= count; });
  }
  std::vector<std::vector<TokenId>> ids;
  std::vector<FinishCause> causes;
  std::vector<bool> finished;
  Error last_error;

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  size_t finished_count_ = 0;
  TokenId stop_at_;
};

JobRequest job(std::shared_ptr<Collector> sink, int32_t prompt_length, int32_t seed, int64_t tokens_max,
               int32_t choices = 1, double temperature = 1.0) {
  JobRequest request;
  for (int32_t i = 0; i < prompt_length; ++i) request.prompt.push_back((i * 7 + seed) % 50);
  request.sampling.seed = static_cast<uint64_t>(seed);
  request.sampling.temperature = temperature;
  request.tokens_max = tokens_max;
  request.choices = choices;
  request.sink = std::move(sink);
  return request;
}

std::vector<std::vector<TokenId>> alone(int32_t prompt_length, int32_t seed, int64_t tokens_max,
                                        int32_t choices = 1) {
  ScriptedRunner runner(50, 4096, 1000);
  Scheduler scheduler(runner, {}, system_clock());
  auto sink = std::make_shared<Collector>(choices);
  REQUIRE(scheduler.submit(job(sink, prompt_length, seed, tokens_max, choices)));
  REQUIRE(sink->wait());
  return sink->ids;
}

TEST_CASE("scheduler: at most tokens_max tokens, and the cause is length") {
  for (int64_t tokens_max : {1, 2, 3, 40}) {
    ScriptedRunner runner(50, 4096, 100);
    Scheduler scheduler(runner, {}, system_clock());
    auto sink = std::make_shared<Collector>(1);
    REQUIRE(scheduler.submit(job(sink, 10, 1, tokens_max)));
    REQUIRE(sink->wait());
    CHECK(sink->ids[0].size() == static_cast<size_t>(tokens_max));
    CHECK(sink->causes[0] == FinishCause::kLength);
  }
}

TEST_CASE("scheduler: a job among others gives the same tokens as alone, with any prefill chunk") {
  std::vector<std::vector<TokenId>> expected;
  for (int32_t i = 0; i < 8; ++i) expected.push_back(alone(50 + 61 * i, i, 30)[0]);
  for (int32_t chunk : {1, 32, 512}) {
    ScriptedRunner runner(50, 4096, 1000);
    Scheduler scheduler(runner, {.prefill_chunk = chunk}, system_clock());
    std::vector<std::shared_ptr<Collector>> sinks;
    for (int32_t i = 0; i < 8; ++i) {
      sinks.push_back(std::make_shared<Collector>(1));
      REQUIRE(scheduler.submit(job(sinks.back(), 50 + 61 * i, i, 30)));
    }
    for (size_t i = 0; i < 8; ++i) {
      REQUIRE(sinks[i]->wait());
      CHECK(sinks[i]->ids[0] == expected[i]);
    }
    CHECK(runner.batch_tokens_max <= static_cast<size_t>(chunk));
  }
}

TEST_CASE("scheduler: choices of one request differ, and each is the same in company") {
  const auto expected = alone(100, 5, 20, 3);
  CHECK(expected[0] != expected[1]);
  CHECK(expected[1] != expected[2]);
  ScriptedRunner runner(50, 4096, 1000);
  Scheduler scheduler(runner, {}, system_clock());
  auto other = std::make_shared<Collector>(1);
  auto sink = std::make_shared<Collector>(3);
  REQUIRE(scheduler.submit(job(other, 700, 9, 50)));
  REQUIRE(scheduler.submit(job(sink, 100, 5, 20, 3)));
  REQUIRE(sink->wait());
  REQUIRE(other->wait());
  CHECK(sink->ids == expected);
}

TEST_CASE("scheduler: when pages run out a sequence is paused and goes on with the same tokens") {
  std::vector<std::vector<std::vector<TokenId>>> expected;
  for (int32_t i = 0; i < 5; ++i) expected.push_back(alone(60, i, 200, 2));
  ScriptedRunner runner(50, 4096, 12);  // each choice grows to 5 pages
  Scheduler scheduler(runner, {}, system_clock());
  std::vector<std::shared_ptr<Collector>> sinks;
  for (int32_t i = 0; i < 5; ++i) {
    sinks.push_back(std::make_shared<Collector>(2));
    REQUIRE(scheduler.submit(job(sinks.back(), 60, i, 200, 2)));
  }
  for (size_t i = 0; i < 5; ++i) {
    REQUIRE(sinks[i]->wait());
    CHECK(sinks[i]->ids == expected[i]);
  }
  CHECK(scheduler.stats().pauses_total > 0);
  scheduler.stop(0);
  CHECK(runner.pages_free() == 12);
  CHECK(runner.open_sequences() == 0);
}

TEST_CASE("B17: a cancelled job frees its pages within a few steps, a hundred times over") {
  ScriptedRunner runner(50, 1'000'000, 1000);
  Scheduler scheduler(runner, {}, system_clock());
  for (int round = 0; round < 100; ++round) {
    auto sink = std::make_shared<Collector>(1);
    auto id = scheduler.submit(job(sink, 20, round, 50000));
    REQUIRE(id);
    REQUIRE(sink->wait_for_tokens(1));
    scheduler.cancel(*id);
    REQUIRE(sink->wait());
    CHECK(sink->causes[0] == FinishCause::kCancelled);
  }
  CHECK(scheduler.stats().requests_cancelled_total == 100);
  scheduler.stop(0);
  CHECK(runner.pages_free() == 1000);
}

TEST_CASE("B18: a cancel during the prompt is obeyed between chunks") {
  ScriptedRunner runner(50, 100'000, 2000);
  runner.delay_us = 2000;
  Scheduler scheduler(runner, {.prefill_chunk = 32}, system_clock());
  auto sink = std::make_shared<Collector>(1);
  auto id = scheduler.submit(job(sink, 64'000, 1, 10));  // 2000 chunks, 4 s
  REQUIRE(id);
  while (runner.runs < 5) std::this_thread::yield();
  scheduler.cancel(*id);
  REQUIRE(sink->wait());
  CHECK(sink->causes[0] == FinishCause::kCancelled);
  CHECK(runner.runs < 500);
  CHECK(sink->ids[0].empty());
}

TEST_CASE("scheduler: a full queue refuses, and waiting jobs can be cancelled") {
  ScriptedRunner runner(50, 100'000, 2000);
  runner.delay_us = 1000;
  Scheduler scheduler(runner, {.sequences_max = 1, .queue_max = 2}, system_clock());
  auto first = std::make_shared<Collector>(1);
  REQUIRE(scheduler.submit(job(first, 10, 1, 50'000)));
  REQUIRE(first->wait_for_tokens(1));
  auto second = std::make_shared<Collector>(2);
  auto second_id = scheduler.submit(job(second, 10, 2, 5, 2));
  REQUIRE(second_id);
  REQUIRE(scheduler.submit(job(std::make_shared<Collector>(1), 10, 3, 5)));
  auto refused = scheduler.submit(job(std::make_shared<Collector>(1), 10, 4, 5));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Code::kResourceExhausted);
  scheduler.cancel(*second_id);
  REQUIRE(second->wait());
  CHECK(second->causes[1] == FinishCause::kCancelled);
  CHECK(scheduler.stats().waiting == 1);
}

TEST_CASE("scheduler: a failing batch ends its requests, a lost model refuses all later ones") {
  ScriptedRunner runner(50, 1000, 100);
  runner.fail = Error{Code::kInternal, "broken", ""};
  Scheduler scheduler(runner, {}, system_clock());
  auto sink = std::make_shared<Collector>(2);
  REQUIRE(scheduler.submit(job(sink, 10, 1, 5, 2)));
  REQUIRE(sink->wait());
  CHECK(sink->causes == std::vector<FinishCause>{FinishCause::kError, FinishCause::kError});
  CHECK_FALSE(scheduler.failure());
  runner.fail = Error{Code::kDataLoss, "the file changed", ""};
  auto lost = std::make_shared<Collector>(1);
  REQUIRE(scheduler.submit(job(lost, 10, 1, 5)));
  REQUIRE(lost->wait());
  while (!scheduler.failure()) std::this_thread::yield();
  auto refused = scheduler.submit(job(lost, 10, 1, 5));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Code::kUnavailable);
}

TEST_CASE("scheduler: stop lets running jobs end within the grace and cancels the rest") {
  ScriptedRunner runner(50, 100'000, 2000);
  runner.delay_us = 500;
  Scheduler scheduler(runner, {}, system_clock());
  auto brief = std::make_shared<Collector>(1);
  auto endless = std::make_shared<Collector>(1);
  REQUIRE(scheduler.submit(job(brief, 10, 1, 20)));
  REQUIRE(scheduler.submit(job(endless, 10, 2, 90'000)));
  scheduler.stop(300);
  REQUIRE(brief->wait());
  REQUIRE(endless->wait());
  CHECK(brief->causes[0] == FinishCause::kLength);
  CHECK(endless->causes[0] == FinishCause::kCancelled);
  CHECK(runner.pages_free() == 2000);
  CHECK_FALSE(scheduler.submit(job(brief, 10, 1, 1)));
}

TEST_CASE("scheduler: a sink that says stop ends the choice with its token") {
  const auto free_run = alone(10, 3, 40)[0];
  ScriptedRunner runner(50, 1000, 100);
  Scheduler scheduler(runner, {}, system_clock());
  auto sink = std::make_shared<Collector>(1, free_run[5]);
  REQUIRE(scheduler.submit(job(sink, 10, 3, 40)));
  REQUIRE(sink->wait());
  CHECK(sink->causes[0] == FinishCause::kStopped);
  CHECK(sink->ids[0].size() <= 6);
  CHECK(sink->ids[0].back() == free_run[5]);
}

}  // namespace
}  // namespace ondol
