#include "core/engine/local_engine.h"

#include <doctest/doctest.h>

#include <atomic>
#include <map>

#include "core/engine/byte_tokenizer.h"
#include "core/scheduler/scripted_runner.h"

namespace ondol {
namespace {

EngineInfo named(const std::string& id) {
  EngineInfo info;
  info.id = id;
  return info;
}

// An engine over ByteTokenizer and ScriptedRunner; `runner` shows the latter to the test.
std::unique_ptr<LocalEngine> scripted_engine(
    ScriptedRunner** runner = nullptr, int32_t context = 512, int64_t delay_us = 0,
    std::unique_ptr<Tokenizer> tokenizer = std::make_unique<ByteTokenizer>()) {
  auto scripted = std::make_unique<ScriptedRunner>(257, context, 1000);
  scripted->delay_us = delay_us;
  if (runner) *runner = scripted.get();
  auto parts = std::make_shared<ModelParts>();
  parts->tokenizer = std::move(tokenizer);
  parts->runner = std::move(scripted);
  parts->chat_template_error = "test";
  auto engine = std::make_unique<LocalEngine>(
      named("test"), SchedulerOptions{},
      [parts](const LocalEngine::Progress&) -> Result<ModelParts> { return std::move(*parts); },
      system_clock());
  while (engine->info().state == EngineState::kLoading) std::this_thread::yield();
  return engine;
}

Request completion(const std::string& prompt, std::optional<int64_t> max_tokens) {
  Request request;
  request.prompt = TextPrompt{prompt, true};
  request.max_tokens = max_tokens;
  request.sampling.seed = 3;
  return request;
}

struct Answer {
  std::string text, reasoning;
  std::vector<TokenId> ids;
  size_t logprobs = 0;
  FinishReason finish = FinishReason::kNone;
};

std::map<int32_t, Answer> read_all(TokenStream& stream) {
  std::map<int32_t, Answer> answers;
  for (int waits = 0; !stream.done() && waits < 2000; ++waits) {
    auto event = stream.next(10);
    if (!event) continue;
    CHECK(is_valid_utf8(event->text));
    Answer& answer = answers[event->choice];
    answer.text += event->text;
    answer.ids.insert(answer.ids.end(), event->ids.begin(), event->ids.end());
    answer.logprobs += event->logprobs.size();
    if (event->finish != FinishReason::kNone) answer.finish = event->finish;
  }
  CHECK(stream.done());
  return answers;
}

TEST_CASE("B22: at most max_tokens tokens, and usage agrees with what was delivered") {
  auto engine = scripted_engine();
  for (int64_t max_tokens : {1, 2, 3, 50}) {
    Request request = completion("hello", max_tokens);
    request.n = 2;
    request.sampling.logprobs = true;
    auto stream = engine->submit(request);
    REQUIRE(stream);
    auto answers = read_all(**stream);
    CHECK(answers.size() == 2);
    int64_t delivered = 0;
    for (auto& [choice, answer] : answers) {
      CHECK(static_cast<int64_t>(answer.ids.size()) <= max_tokens);
      CHECK(answer.logprobs == answer.ids.size());
      CHECK((answer.finish == FinishReason::kLength || answer.finish == FinishReason::kStop));
      delivered += static_cast<int64_t>(answer.ids.size());
    }
    CHECK((*stream)->usage().completion_tokens == delivered);
    CHECK((*stream)->usage().prompt_tokens == 5);
  }
  for (int64_t bad : {0, -1}) {
    auto refused = engine->submit(completion("hello", bad));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().where == "max_tokens");
  }
}

TEST_CASE("B34: a prompt that does not fit is refused with both numbers, never cut") {
  auto engine = scripted_engine(nullptr, 512);
  CHECK(engine->submit(completion(std::string(511, 'a'), std::nullopt)));
  for (size_t length : {512, 513, 5120}) {
    auto refused = engine->submit(completion(std::string(length, 'a'), std::nullopt));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::kContextLength);
    CHECK(refused.error().message.find("512") != std::string::npos);
    CHECK(refused.error().message.find(std::to_string(length)) != std::string::npos);
  }
  CHECK(engine->submit(completion(std::string(500, 'a'), 12)));
  auto refused = engine->submit(completion(std::string(500, 'a'), 13));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Code::kContextLength);
}

TEST_CASE("engine: a stream that is dropped cancels its work") {
  ScriptedRunner* runner = nullptr;
  auto engine = scripted_engine(&runner, 100'000, 200);
  { auto stream = engine->submit(completion("x", 90'000)); }
  // Between the queue and the batch a request is counted as neither for a moment: its end is what to wait
  // for.
  const auto ended = [&] {
    const EngineStats stats = engine->stats();
    return stats.requests_cancelled_total == 1 && stats.running + stats.waiting + stats.pages_used == 0;
  };
  for (int waits = 0; !ended() && waits < 5000; ++waits)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(engine->stats().running == 0);
  CHECK(engine->stats().pages_used == 0);
  CHECK(engine->stats().requests_cancelled_total == 1);
}

TEST_CASE("X32: an engine that failed says so and refuses, one that loads says how far it is") {
  LocalEngine failed(
      named("bad"), {},
      [](const LocalEngine::Progress&) -> Result<ModelParts> {
        return Error{Code::kDataLoss, "the file is cut", "m.gguf"};
      },
      system_clock());
  while (failed.info().state == EngineState::kLoading) std::this_thread::yield();
  CHECK(failed.info().state == EngineState::kFailed);
  CHECK(failed.submit(completion("x", 1)).error().code == Code::kUnavailable);

  std::atomic<bool> seen{false};
  LocalEngine loading(
      named("slow"), {},
      [&](const LocalEngine::Progress& progress) -> Result<ModelParts> {
        while (progress(0.25)) seen = true;
        return Error{Code::kCancelled, "given up", ""};
      },
      system_clock());
  while (!seen) std::this_thread::yield();
  auto refused = loading.submit(completion("x", 1));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("25 %") != std::string::npos);
  loading.stop(0);
  CHECK(loading.info().state == EngineState::kStopping);

  ScriptedRunner* runner = nullptr;
  auto engine = scripted_engine(&runner);
  runner->fail = Error{Code::kDataLoss, "the model file changed", "m.gguf"};
  auto stream = engine->submit(completion("x", 5));
  REQUIRE(stream);
  auto answers = read_all(**stream);
  CHECK(answers[0].finish == FinishReason::kError);
  for (int waits = 0; engine->info().state == EngineState::kReady && waits < 2000; ++waits)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(engine->info().state == EngineState::kFailed);
}

TEST_CASE("B52: with many requests at once, some of them cancelled, every answer is its own") {
  const auto own_request = [](int32_t i) {
    Request request = completion("my id is " + std::to_string(i), 20 + i % 13);
    request.sampling.seed = static_cast<uint64_t>(i);
    request.sampling.temperature = i % 4 == 0 ? 0 : 1;
    request.sampling.logprobs = i % 2 == 0;
    request.n = 1 + i % 3;
    if (i % 5 == 0) request.stop = {std::string(1, static_cast<char>('a' + i % 26)), "e"};
    return request;
  };
  auto engine = scripted_engine();
  constexpr int32_t kClients = 64;
  std::vector<std::map<int32_t, Answer>> alone;
  for (int32_t i = 0; i < kClients; ++i) {
    auto stream = engine->submit(own_request(i));
    REQUIRE(stream);
    alone.push_back(read_all(**stream));
  }
  std::vector<std::unique_ptr<TokenStream>> streams;
  for (int32_t i = 0; i < kClients; ++i) {
    auto stream = engine->submit(own_request(i));
    REQUIRE(stream);
    streams.push_back(std::move(*stream));
    if (i % 7 == 3) streams.back()->cancel();
  }
  for (int32_t i = 0; i < kClients; ++i) {
    if (i % 7 == 3) continue;
    CAPTURE(i);
    auto together = read_all(*streams[static_cast<size_t>(i)]);
    CHECK(together.size() == static_cast<size_t>(1 + i % 3));
    for (auto& [choice, answer] : together) {
      const Answer& expected = alone[static_cast<size_t>(i)][choice];
      CHECK(answer.text == expected.text);
      CHECK(answer.ids == expected.ids);
      CHECK(answer.logprobs == expected.logprobs);
      CHECK(answer.finish == expected.finish);
    }
  }
}

TEST_CASE("engine: as many choices and stop strings as the limits say, and not one more") {
  auto engine = scripted_engine();
  Request request = completion("hello", 3);
  request.n = kChoicesMax;
  request.stop.assign(kStopsMax, std::string(kStopBytesMax, 's'));
  auto stream = engine->submit(request);
  REQUIRE(stream);
  CHECK(read_all(**stream).size() == static_cast<size_t>(kChoicesMax));

  const auto refused_field = [&](const auto& change) {
    Request changed = request;
    change(changed);
    auto refused = engine->submit(changed);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::kInvalidArgument);
    return refused.error().where;
  };
  CHECK(refused_field([](Request& r) { ++r.n; }) == "n");
  CHECK(refused_field([](Request& r) { r.n = 0; }) == "n");
  CHECK(refused_field([](Request& r) { r.stop.push_back("x"); }) == "stop");
  CHECK(refused_field([](Request& r) { r.stop[0] += 'x'; }) == "stop");
  CHECK(refused_field([](Request& r) { r.stop[0].clear(); }) == "stop");
}

TEST_CASE("engine: a BOS is put in front once, whether or not the text begins with it") {
  struct WithBos : ByteTokenizer {
    bool adds_bos() const override { return true; }
    std::optional<TokenId> bos() const override { return '^'; }
  };
  auto engine = scripted_engine(nullptr, 512, 0, std::make_unique<WithBos>());
  for (const char* text : {"ab", "^ab"}) {
    CAPTURE(text);
    CHECK(*engine->tokenize(text, true, true) == std::vector<TokenId>{'^', 'a', 'b'});
    auto stream = engine->submit(completion(text, 1));
    REQUIRE(stream);
    read_all(**stream);
    CHECK((*stream)->usage().prompt_tokens == 3);
  }
  CHECK(*engine->tokenize("ab", false, true) == std::vector<TokenId>{'a', 'b'});
}

TEST_CASE("engine: echo puts the prompt in front, a stream read slowly loses nothing") {
  auto engine = scripted_engine();
  Request request = completion("질문: ", 40);
  auto plain = engine->submit(request);
  REQUIRE(plain);
  const std::string expected = read_all(**plain)[0].text;
  request.echo = true;
  auto echoed = engine->submit(request);
  REQUIRE(echoed);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // everything is merged by now
  CHECK(read_all(**echoed)[0].text == "질문: " + expected);
}

}  // namespace
}  // namespace ondol
