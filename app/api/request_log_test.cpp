#include "app/api/request_log.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/api/test_server.h"
#include "core/base/file.h"
#include "core/base/temporary_folder.h"

namespace ondol::api {
namespace {

// A server with a log; takes lines from it.
struct LoggedServer {
  TemporaryFolder folder;
  std::string path = folder.path("log");
  std::unique_ptr<ServerLog> log;
  TestServer server;

  explicit LoggedServer(LogLevel level = LogLevel::kInfo)
      : log(std::move(*ServerLog::open(level, path))), server({}, {}, 10'000, log.get()) {}

  std::string text() const { return *read_text(real_file_system(), path, 1 << 20); }
  // Waits for `count` lines.
  std::string text_of(int64_t count) const {
    const int64_t end = test_now_ms() + 5000;
    const auto lines = [&] { return std::ranges::count(text(), '\n'); };
    while (lines() < count && test_now_ms() < end) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    CHECK(lines() == count);
    return text();
  }
};

const char* const kChatPath = "/v1/chat/completions";
const std::string kBody = R"({"model":"fake","messages":[{"role":"user","content":"PRIVATE"}])";

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("request log: a whole answer leaves one line with its numbers and id, without a word of it") {
  LoggedServer s;
  const Answer answer = post(s.server.port, kChatPath, kBody + "}", "Authorization: Bearer PRIVATE\r\n");
  const std::string text = s.text_of(1);
  CHECK(has(text, "level=info msg=request method=POST route=/v1/chat/completions status=200 id=" +
                      answer.json()["id"].get<std::string>() +
                      " model=fake stream=false prompt_tokens=7 cached_tokens=3 completion_tokens=3 "
                      "finish_reason=stop queue_ms=0.0 ttft_ms="));
  CHECK(has(text, " client=127.0.0.1\n"));
  CHECK_FALSE(has(text, "PRIVATE"));
  CHECK_FALSE(has(text, "안녕"));
}

TEST_CASE("request log: a streamed answer is logged at its end") {
  LoggedServer s;
  post(s.server.port, kChatPath, kBody + ",\"stream\":true}");
  const std::string text = s.text_of(1);
  CHECK(has(text, "status=200 id=chatcmpl-"));
  CHECK(has(text, " stream=true prompt_tokens=7 cached_tokens=3 completion_tokens=3 finish_reason=stop "));
}

TEST_CASE("request log: a client that leaves is a cancelled request, streamed or not") {
  for (const char* end : {"}", ",\"stream\":true}"}) {
    LoggedServer s;
    s.server.engine->script = {{text_event("x"), text_event("", FinishReason::kStop)}, 5, 0, 1'000'000};
    RawClient client(s.server.port);
    client.send(post_text(kChatPath, kBody + end));
    while (s.server.engine->active == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    client.close();
    const std::string text = s.text_of(1);
    CHECK(has(text, "level=info "));
    CHECK(has(text, " status=499 "));
    CHECK(has(text, " finish_reason=cancelled "));
  }
}

TEST_CASE("request log: refusals have their reason; health checks and scrapes are for debug") {
  LoggedServer s;
  get(s.server.port, "/health/live");
  get(s.server.port, "/metrics");
  post(s.server.port, kChatPath, R"({"model":"evil\" level=error\n\u001b[31m"})");
  post(s.server.port, kChatPath, kBody + ",\"n\":99}");
  ask(s.server.port, "GET /nope?key=PRIVATE HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  ask(s.server.port, "nonsense\r\n\r\n");
  const std::string text = s.text_of(4);
  CHECK(
      has(text, R"( status=404 model="evil\" level=error\n\u001b[31m" error=model_not_found duration_ms=)"));
  CHECK(has(text, " status=400 model=fake error="));
  CHECK(has(text, " route=other status=404 "));
  CHECK(has(text, "msg=request route=none status=400 "));
  CHECK_FALSE(has(text, "PRIVATE"));
  LoggedServer debug(LogLevel::kDebug);
  get(debug.server.port, "/health/live");
  CHECK(has(debug.text_of(1), "level=debug msg=request method=GET route=/health/live status=200 "));
}

TEST_CASE("request log: an internal error's words are in the log alone") {
  LoggedServer s;
  s.server.engine->submit_error = Error{Code::kInternal, "the tensor is gone", "layer 3"};
  const Answer answer = post(s.server.port, kChatPath, kBody + "}");
  CHECK(answer.status == 500);
  CHECK_FALSE(has(answer.body, "tensor"));
  CHECK(has(s.text_of(1), R"( error=internal_error detail="layer 3: the tensor is gone" )"));
  CHECK(has(s.text(), "level=error "));

  LoggedServer streamed;
  StreamEvent failed = text_event("", FinishReason::kError);
  failed.error = {Code::kDataLoss, "the file was cut", ""};
  streamed.server.engine->script = {{text_event("x"), failed}};
  post(streamed.server.port, kChatPath, kBody + ",\"stream\":true}");
  CHECK(has(streamed.text_of(1), "level=error "));
  CHECK(has(streamed.text(), R"( status=200 )"));
  CHECK(has(streamed.text(), R"( detail="the file was cut" )"));
  CHECK(has(streamed.text(), " finish_reason=error "));
}

TEST_CASE("request log: levels") {
  ServedRequest request;
  const auto level = [&](std::string_view route, int status) {
    request.status = status;
    return request_level(route, request);
  };
  CHECK(level("/v1/models", 200) == LogLevel::kInfo);
  CHECK(level("/v1/models", 404) == LogLevel::kInfo);
  CHECK(level("/v1/completions", 499) == LogLevel::kInfo);
  CHECK(level("/v1/completions", 503) == LogLevel::kError);
  CHECK(level("none", 503) == LogLevel::kError);
  CHECK(level("/health/ready", 503) == LogLevel::kDebug);
  CHECK(level("/metrics", 200) == LogLevel::kDebug);
}

}  // namespace ondol::api
