#include <doctest/doctest.h>

#include "app/api/test_server.h"

namespace ondol::api {
namespace {

const std::string kChat = R"({"model":"fake","messages":[{"role":"user","content":"hi"}])";
const char* const kChatPath = "/v1/chat/completions";

Answer chat(TestServer& s, const std::string& fields = "") {
  return post(s.port, kChatPath, kChat + (fields.empty() ? "" : "," + fields) + "}");
}

Json event_json(const std::string& event) { return parse_json(event.substr(6)).value_or(Json()); }

}  // namespace

TEST_CASE("chat: a whole answer has OpenAI's shape") {
  TestServer s;
  const Answer a = chat(s);
  REQUIRE(a.status == 200);
  const Json j = a.json();
  CHECK(j["object"] == "chat.completion");
  CHECK(j["id"].get<std::string>().starts_with("chatcmpl-"));
  CHECK(j["model"] == "fake");
  CHECK(j["choices"][0]["index"] == 0);
  CHECK(j["choices"][0]["message"]["role"] == "assistant");
  CHECK(j["choices"][0]["message"]["content"] == "안녕 😀");
  CHECK(j["choices"][0]["finish_reason"] == "stop");
  CHECK(j["choices"][0]["logprobs"].is_null());
  CHECK(j["usage"]["prompt_tokens"] == 7);
  CHECK(j["usage"]["completion_tokens"] == 3);
  CHECK(j["usage"]["total_tokens"] == 10);
  CHECK(j["usage"]["prompt_tokens_details"]["cached_tokens"] == 3);
}

TEST_CASE(
    "chat: a stream opens with the role, ends with the reason and [DONE], and joins to the whole answer") {
  TestServer s;
  const auto events = events_of(chat(s, "\"stream\":true"));
  REQUIRE(events.size() == 5);
  CHECK(events.back() == "data: [DONE]");
  CHECK(event_json(events[0])["choices"][0]["delta"]["role"] == "assistant");
  std::string joined;
  for (size_t i = 0; i + 1 < events.size(); ++i) {
    const Json j = event_json(events[i]);
    CHECK(j["object"] == "chat.completion.chunk");
    CHECK(!j.contains("usage"));
    joined += j["choices"][0]["delta"].value("content", "");
  }
  CHECK(joined == "안녕 😀");
  CHECK(event_json(events[3])["choices"][0]["finish_reason"] == "stop");
  CHECK(event_json(events[3])["choices"][0]["delta"] == Json::object());
}

TEST_CASE("chat: the usage chunk comes last, without choices, and only when asked for") {
  TestServer s;
  const auto with = events_of(chat(s, R"("stream":true,"stream_options":{"include_usage":true})"));
  const Json last = event_json(with[with.size() - 2]);
  CHECK(last["choices"] == Json::array());
  CHECK(last["usage"]["total_tokens"] == 10);
  CHECK(event_json(with[0])["usage"].is_null());
  for (const char* fields : {R"("stream":true,"stream_options":{"include_usage":false})",
                             R"("stream":true,"stream_options":{})"}) {
    for (const auto& event : events_of(chat(s, fields))) CHECK(event.find("usage") == std::string::npos);
  }
}

TEST_CASE("chat: n choices are all there, in both forms") {
  TestServer s;
  const Json whole = chat(s, "\"n\":3").json();
  REQUIRE(whole["choices"].size() == 3);
  for (size_t i = 0; i < 3; ++i) CHECK(whole["choices"][i]["message"]["content"] == "안녕 😀");
  std::string texts[3];
  for (const auto& event : events_of(chat(s, "\"n\":3,\"stream\":true"))) {
    if (event == "data: [DONE]") continue;
    const Json choice = event_json(event)["choices"][0];
    texts[choice["index"].get<size_t>()] += choice["delta"].value("content", "");
  }
  for (const auto& text : texts) CHECK(text == "안녕 😀");
}

TEST_CASE("chat: log-probabilities hold the true bytes") {
  TestServer s;
  StreamEvent event = text_event("😀", FinishReason::kStop);
  event.logprobs = {{5, "\xF0\x9F", -0.5f, {{5, "\xF0\x9F", -0.5f}, {6, "a", -1.5f}}},
                    {7, "\x98\x80", -0.25f, {}}};
  s.engine->script.events = {event};
  const Json content =
      chat(s, "\"logprobs\":true,\"top_logprobs\":2").json()["choices"][0]["logprobs"]["content"];
  REQUIRE(content.size() == 2);
  CHECK(content[0]["bytes"] == Json::array({0xF0, 0x9F}));
  CHECK(content[1]["bytes"] == Json::array({0x98, 0x80}));
  CHECK(content[0]["top_logprobs"].size() == 2);
  CHECK(content[0]["top_logprobs"][1]["token"] == "a");
}

TEST_CASE("chat: reasoning is a field of its own") {
  TestServer s;
  StreamEvent thought;
  thought.reasoning = "음";
  s.engine->script.events = {thought, text_event("답", FinishReason::kStop)};
  CHECK(chat(s).json()["choices"][0]["message"]["reasoning_content"] == "음");
  CHECK(event_json(events_of(chat(s, "\"stream\":true"))[1])["choices"][0]["delta"] ==
        Json{{"reasoning_content", "음"}});
}

TEST_CASE("completions: text, offsets and several prompts") {
  TestServer s;
  StreamEvent event = text_event("안a", FinishReason::kLength);
  event.logprobs = {{5, "안", -0.5f, {{5, "안", -0.5f}}}, {6, "a", -1.0f, {}}};
  s.engine->script.events = {event};
  const Json j =
      post(s.port, "/v1/completions", R"({"model":"fake","prompt":["x","y"],"logprobs":1})").json();
  CHECK(j["object"] == "text_completion");
  REQUIRE(j["choices"].size() == 2);
  CHECK(j["choices"][1]["text"] == "안a");
  CHECK(j["choices"][1]["finish_reason"] == "length");
  CHECK(j["choices"][0]["logprobs"]["text_offset"] == Json::array({0, 1}));
  CHECK(j["choices"][0]["logprobs"]["tokens"] == Json::array({"안", "a"}));
  CHECK(j["usage"]["prompt_tokens"] == 14);
}

TEST_CASE("errors: an unknown model goes before every other fault and lists what is served") {
  TestServer s;
  for (const char* body : {R"({"model":"gpt","messages":5})", R"({"messages":[]})",
                           R"({"model":"","messages":[]})", R"({"model":null})"}) {
    CAPTURE(body);
    const Answer a = post(s.port, kChatPath, body);
    CHECK(a.status == 404);
    CHECK(a.json()["error"]["code"] == "model_not_found");
    CHECK(a.json()["error"]["message"].get<std::string>().find("'fake'") != std::string::npos);
  }
  CHECK(post(s.port, kChatPath, R"({"model":5})").status == 400);
}

TEST_CASE("errors: a bad request has the same answer streamed or not") {
  TestServer s;
  for (const char* field : {"\"temperature\":5", "\"n\":0", "\"tools\":[{}]"}) {
    const Answer whole = chat(s, field), streamed = chat(s, std::string(field) + ",\"stream\":true");
    CHECK(whole.status == 400);
    CHECK(streamed.status == 400);
    CHECK(whole.body == streamed.body);
  }
  s.engine->submit_error =
      Error{Code::kContextLength, "the prompt has 600 tokens, the context 512", "messages"};
  const Answer whole = chat(s), streamed = chat(s, "\"stream\":true");
  CHECK(streamed.status == 400);
  CHECK(whole.body == streamed.body);
  CHECK(whole.json()["error"]["code"] == "context_length_exceeded");
}

TEST_CASE("errors: a full queue and a loading model are 503 with Retry-After, internals stay inside") {
  TestServer s;
  s.engine->submit_error = Error{Code::kResourceExhausted, "the queue is full", ""};
  Answer a = chat(s);
  CHECK(a.status == 503);
  CHECK(a.head.find("Retry-After: ") != std::string::npos);
  s.engine->submit_error = Error{Code::kInternal, "secret pointer 0xdead", ""};
  a = chat(s);
  CHECK(a.status == 500);
  CHECK(a.body.find("secret") == std::string::npos);
  s.engine->submit_error.reset();
  s.engine->state = EngineState::kLoading;
  CHECK(chat(s).status == 503);
  CHECK(get(s.port, "/health/ready").status == 503);
  CHECK(get(s.port, "/health").status == 503);
  CHECK(get(s.port, "/health/live").status == 200);
  s.engine->state = EngineState::kFailed;
  CHECK(get(s.port, "/health/ready").json()["models"][0]["failure"] == "a damaged file");
  s.engine->state = EngineState::kReady;
  CHECK(get(s.port, "/health/ready").status == 200);
  s.service->begin_stop();
  CHECK(get(s.port, "/health/ready").status == 503);
  CHECK(chat(s).status == 503);
}

TEST_CASE("errors: a failure in the middle of a stream is its last event, and no [DONE] follows") {
  TestServer s;
  StreamEvent bad;
  bad.finish = FinishReason::kError;
  bad.error = Error{Code::kInternal, "secret", ""};
  s.engine->script.events = {text_event("a"), bad};
  const auto events = events_of(chat(s, "\"stream\":true"));
  CHECK(events.back().find("\"error\"") != std::string::npos);
  CHECK(events.back().find("secret") == std::string::npos);
  CHECK(chat(s).status == 500);
}

TEST_CASE(
    "errors: bodies that are not JSON in UTF-8 are 400, whatever the content type, and the server lives") {
  TestServer s;
  for (const std::string& body :
       {std::string("\xED\x95"), std::string("{"), std::string("[]"), std::string("{\"model\":\"\\ud800\"}"),
        std::string("{\"model\":\"\xBE\xC8\"}"), std::string(100'000, '['), std::string()}) {
    const Answer a = post(s.port, kChatPath, body);
    CHECK(a.status == 400);
    CHECK(a.json()["error"]["type"] == "invalid_request_error");
  }
  const std::string big = kChat + ",\"user\":\"" + std::string(20'000, 'x') + "\"}";
  for (const char* type : {"application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                           "text/plain", "application/json"}) {
    CAPTURE(type);
    CHECK(post(s.port, kChatPath, big, std::string("Content-Type: ") + type + "\r\n").status == 200);
  }
}

TEST_CASE("routes: unknown paths are JSON 404s, wrong methods 405 with Allow, HEAD works") {
  TestServer s;
  for (const char* path :
       {"/nope", "/v1/chat/completions/", "//v1/models", "/V1/models", "/v1/models/", "/../etc/passwd"}) {
    CAPTURE(path);
    const Answer a = get(s.port, path);
    CHECK(a.status == 404);
    CHECK(a.json()["error"]["type"] == "invalid_request_error");
  }
  const Answer wrong = get(s.port, kChatPath);
  CHECK(wrong.status == 405);
  CHECK(wrong.head.find("Allow: POST") != std::string::npos);
  CHECK(post(s.port, "/v1/models", "{}").status == 405);
  CHECK(post(s.port, "/nope", "{}").status == 404);
  for (const char* path : {"/", "/v1/models", "/health/live", "/metrics"}) {
    const Answer head = ask(
        s.port, std::string("HEAD ") + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    CHECK(head.status == 200);
    CHECK(head.body.empty());
  }
}

TEST_CASE("routes: models are listed and found by name, composed or not") {
  TestServer s;
  s.models.add({"\u1112\u1161\u11AB\u1100\u1173\u11AF", "x", nullptr, "a damaged file"});
  const Json list = get(s.port, "/v1/models").json();
  CHECK(list["object"] == "list");
  CHECK(list["data"][0]["id"] == "fake");
  CHECK(list["data"][0]["max_model_len"] == 512);
  CHECK(list["data"][0]["meta"]["state"] == "ready");
  CHECK(list["data"][1]["id"] == "한글");
  CHECK(get(s.port, "/v1/models/fake").json()["id"] == "fake");
  CHECK(get(s.port, "/v1/models/%E1%84%92%E1%85%A1%E1%86%AB%E1%84%80%E1%85%B3%E1%86%AF").json()["id"] ==
        "한글");
  CHECK(get(s.port, "/v1/models/none").status == 404);
  CHECK(post(s.port, kChatPath, R"({"model":"한글"})").status == 503);
}

TEST_CASE("routes: tokenize and detokenize speak llama-server's and vLLM's shapes") {
  TestServer s;
  CHECK(post(s.port, "/tokenize", R"({"content":"ab"})").json()["tokens"] == Json::array({97, 98}));
  CHECK(post(s.port, "/tokenize", R"({"content":"a","add_special":true})").json()["tokens"] ==
        Json::array({0, 97}));
  const Json pieces = post(s.port, "/tokenize", R"({"content":"é","with_pieces":true})").json();
  CHECK(pieces["tokens"][0]["piece"] == Json::array({0xC3}));
  const Json vllm = post(s.port, "/tokenize", R"({"model":"fake","prompt":"a"})").json();
  CHECK(vllm["count"] == 2);
  CHECK(vllm["max_model_len"] == 512);
  CHECK(post(s.port, "/detokenize", R"({"tokens":[97,98]})").json()["content"] == "ab");
  CHECK(post(s.port, "/detokenize", R"({"tokens":[999]})").status == 400);
  CHECK(post(s.port, "/detokenize", R"({"tokens":["a"]})").status == 400);
  CHECK(post(s.port, "/tokenize", "{}").status == 400);
  CHECK(post(s.port, "/tokenize", R"({"model":"x","content":"a"})").status == 404);
}

TEST_CASE("access: foreign hosts and origins are refused, preflights answered") {
  TestServer s({}, {{"good.example"}, {"https://chat.example"}});
  const auto with_host = [&](const std::string& host) {
    return ask(s.port, "GET /v1/models HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n").status;
  };
  CHECK(with_host("evil.example") == 403);
  CHECK(with_host("127.0.0.1:9") == 200);
  CHECK(with_host("good.example") == 200);
  CHECK(post(s.port, kChatPath, kChat + "}", "Origin: https://evil.example\r\n").status == 403);
  CHECK(post(s.port, kChatPath, kChat + "}", "Origin: null\r\n").status == 403);
  CHECK(post(s.port, kChatPath, kChat + "}", "Origin: http://localhost\r\n").status == 200);
  const Answer allowed = post(s.port, kChatPath, kChat + "}", "Origin: https://chat.example\r\n");
  CHECK(allowed.head.find("Access-Control-Allow-Origin: https://chat.example") != std::string::npos);
  CHECK(get(s.port, "/v1/models", "Origin: https://evil.example\r\n").head.find("Access-Control") ==
        std::string::npos);
  const auto options = [&](const std::string& origin) {
    return ask(s.port,
               "OPTIONS /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nOrigin: " +
                   origin + "\r\n\r\n");
  };
  CHECK(options("https://evil.example").status == 403);
  const Answer good = options("https://chat.example");
  CHECK(good.status == 204);
  CHECK(good.head.find("Access-Control-Allow-Methods: POST, OPTIONS") != std::string::npos);
}

TEST_CASE("page: security headers, compression and revalidation") {
  TestServer s;
  const Answer page = get(s.port, "/");
  CHECK(page.status == 200);
  CHECK(page.head.find("Content-Security-Policy: default-src 'none'; script-src 'self'") !=
        std::string::npos);
  CHECK(page.head.find("X-Content-Type-Options: nosniff") != std::string::npos);
  CHECK(page.head.find("Referrer-Policy: no-referrer") != std::string::npos);
  const size_t at = page.head.find("ETag: ") + 6;
  const std::string etag = page.head.substr(at, page.head.find("\r\n", at) - at);
  CHECK(get(s.port, "/", "If-None-Match: " + etag + "\r\n").status == 304);
}

TEST_CASE("metrics: no NaN before the first request, and every family has one TYPE") {
  TestServer s;
  const Answer a = get(s.port, "/metrics");
  CHECK(a.status == 200);
  CHECK(a.head.find("text/plain; version=0.0.4") != std::string::npos);
  CHECK(a.body.find("nan") == std::string::npos);
  CHECK(a.body.find("inf ") == std::string::npos);
  for (const char* name :
       {"ondol_requests_running{model=\"fake\"}", "vllm:num_requests_waiting{model_name=\"fake\"} 0",
        "vllm:time_to_first_token_seconds_bucket{model_name=\"fake\",le=\"+Inf\"} 0",
        "llamacpp:requests_processing"}) {
    CAPTURE(name);
    CHECK(a.body.find(name) != std::string::npos);
  }
}

}  // namespace ondol::api
