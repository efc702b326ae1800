#include "app/api/completion_request.h"

#include <doctest/doctest.h>

#include <limits>

namespace ondol::api {
namespace {

constexpr uint64_t kSeed = 99;

std::optional<ApiError> chat(const std::string& fields, CompletionRequest& out) {
  const std::string text =
      R"({"messages":[{"role":"user","content":"hi"}])" + (fields.empty() ? "" : "," + fields) + "}";
  auto json = parse_json(text);
  if (!json) return to_api_error(json.error());
  return parse_chat(*json, kSeed, out);
}

std::string fault(const std::string& fields) {
  CompletionRequest out;
  const auto error = chat(fields, out);
  return error ? error->param : "";
}

Request good(const std::string& fields) {
  CompletionRequest out;
  const auto error = chat(fields, out);
  CAPTURE(fields);
  REQUIRE(!error);
  return out.requests.front();
}

std::optional<ApiError> completion(const std::string& text, CompletionRequest& out) {
  return parse_completion(*parse_json(text), kSeed, out);
}

std::string message_fault(const std::string& messages) {
  CompletionRequest out;
  const auto error = parse_chat(*parse_json("{\"messages\":" + messages + "}"), kSeed, out);
  return error ? error->param : "";
}

}  // namespace

TEST_CASE("request: what is out of range names its field") {
  struct {
    const char* fields;
    const char* param;
  } cases[] = {{"\"temperature\":-1", "temperature"},
               {"\"temperature\":5", "temperature"},
               {"\"temperature\":\"1\"", "temperature"},
               {"\"top_p\":0", "top_p"},
               {"\"top_p\":1.0001", "top_p"},
               {"\"top_k\":2147483648", "top_k"},
               {"\"top_k\":-2", "top_k"},
               {"\"top_k\":1.5", "top_k"},
               {"\"min_p\":2", "min_p"},
               {"\"min_p\":-0.1", "min_p"},
               {"\"repeat_penalty\":0", "repeat_penalty"},
               {"\"presence_penalty\":2.1", "presence_penalty"},
               {"\"frequency_penalty\":-3", "frequency_penalty"},
               {"\"seed\":9223372036854775808", "seed"},
               {"\"seed\":-9223372036854775809", "seed"},
               {"\"seed\":1.5", "seed"},
               {"\"seed\":\"1\"", "seed"},
               {"\"max_tokens\":0", "max_tokens"},
               {"\"max_tokens\":-1", "max_tokens"},
               {"\"max_tokens\":2147483648", "max_tokens"},
               {"\"max_tokens\":\"5\"", "max_tokens"},
               {"\"max_tokens\":1.5", "max_tokens"},
               {"\"max_completion_tokens\":0", "max_completion_tokens"},
               {"\"n\":0", "n"},
               {"\"n\":17", "n"},
               {"\"stop\":\"\"", "stop"},
               {"\"stop\":[1]", "stop"},
               {"\"stop\":{}", "stop"},
               {"\"stop\":[\"a\",\"\"]", "stop"},
               {"\"logprobs\":1", "logprobs"},
               {"\"top_logprobs\":3", "top_logprobs"},
               {"\"logprobs\":true,\"top_logprobs\":21", "top_logprobs"},
               {"\"logprobs\":false,\"top_logprobs\":0", "top_logprobs"},
               {"\"stream\":\"yes\"", "stream"},
               {"\"stream_options\":{}", "stream_options"},
               {"\"stream\":false,\"stream_options\":{\"include_usage\":true}", "stream_options"},
               {"\"stream\":true,\"stream_options\":{\"include_usage\":1}", "stream_options.include_usage"},
               {"\"logit_bias\":{\"a\":1}", "logit_bias"},
               {"\"logit_bias\":{\"-1\":1}", "logit_bias"},
               {"\"logit_bias\":{\"1\":101}", "logit_bias"},
               {"\"logit_bias\":[1]", "logit_bias"},
               {"\"tools\":[{\"type\":\"function\"}]", "tools"},
               {"\"tool_choice\":\"required\"", "tool_choice"},
               {"\"response_format\":{\"type\":\"json_object\"}", "response_format"},
               {"\"response_format\":{}", "response_format"},
               {"\"grammar\":\"root ::= x\"", "grammar"},
               {"\"functions\":[{}]", "functions"},
               {"\"modalities\":[\"audio\"]", "modalities"},
               {"\"chat_template_kwargs\":\"x\"", "chat_template_kwargs"}};
  for (const auto& c : cases) {
    CAPTURE(c.fields);
    CHECK(fault(c.fields) == c.param);
  }
}

TEST_CASE("request: null is the same as absent") {
  const Request r = good(
      "\"temperature\":null,\"top_p\":null,\"stop\":null,\"max_tokens\":null,\"n\":null,\"seed\":null,"
      "\"stream\":null,\"stream_options\":null,\"tools\":null,\"tool_choice\":null,\"logit_bias\":null,"
      "\"response_format\":null,\"logprobs\":null,\"top_logprobs\":null,\"user\":null");
  CHECK(r.sampling.temperature == 1.0);
  CHECK(!r.max_tokens);
  CHECK(r.n == 1);
  CHECK(r.sampling.seed == kSeed);
}

TEST_CASE("request: the edges of every range are good") {
  CHECK(good("\"temperature\":0").sampling.temperature == 0);
  CHECK(good("\"temperature\":1e-38").sampling.temperature > 0);
  CHECK(good("\"top_k\":-1").sampling.top_k == 0);
  CHECK(good("\"seed\":-1").sampling.seed == std::numeric_limits<uint64_t>::max());
  CHECK(good("\"seed\":4294967296").sampling.seed == 4294967296u);
  CHECK(good("\"seed\":9223372036854775807").sampling.seed == 9223372036854775807u);
  CHECK(good("\"seed\":0").sampling.seed == 0);
  CHECK(good("\"logprobs\":true,\"top_logprobs\":20").sampling.top_logprobs == 20);
  CHECK(good("\"logit_bias\":{\"5\":-100,\"6\":100}").sampling.logit_bias.size() == 2);
  CHECK(good("\"stop\":[]").stop.empty());
  CHECK(good("\"stop\":\"끝\"").stop.front() == "끝");
  CHECK(good("\"repetition_penalty\":1.5").sampling.repeat_penalty == 1.5);
}

TEST_CASE("request: what the engine takes of n and stop is good, one more is a 400 that names the field") {
  const auto stops = [](size_t count, size_t bytes) {
    const std::string one = "\"" + std::string(bytes, 's') + "\"";
    std::string text = "\"stop\":[" + one;
    for (size_t i = 1; i < count; ++i) text += "," + one;
    return text + "]";
  };
  const auto n = [](int32_t count) { return "\"n\":" + std::to_string(count); };
  CHECK(good(n(kChoicesMax)).n == kChoicesMax);
  CHECK(good(stops(kStopsMax, 1)).stop.size() == kStopsMax);
  CHECK(good(stops(1, kStopBytesMax)).stop.front().size() == kStopBytesMax);
  const std::pair<std::string, const char*> cases[] = {
      {n(kChoicesMax + 1), "n"}, {stops(kStopsMax + 1, 1), "stop"}, {stops(1, kStopBytesMax + 1), "stop"}};
  for (const auto& [fields, param] : cases) {
    CompletionRequest out;
    const auto error = chat(fields, out);
    REQUIRE(error);
    CHECK(error->status == 400);
    CHECK(error->param == param);
  }
}

TEST_CASE("request: of max_tokens and max_completion_tokens the smaller counts") {
  CHECK(good("\"max_completion_tokens\":5").max_tokens == 5);
  CHECK(good("\"max_tokens\":3,\"max_completion_tokens\":5").max_tokens == 3);
  CHECK(good("\"max_tokens\":9,\"max_completion_tokens\":5").max_tokens == 5);
}

TEST_CASE("request: fields that clients send and that mean nothing here are let through") {
  good(
      "\"user\":\"u\",\"metadata\":{\"a\":\"b\"},\"store\":false,\"service_tier\":\"auto\",\"parallel_tool_"
      "calls\":true,"
      "\"tools\":[],\"tool_choice\":\"auto\",\"response_format\":{\"type\":\"text\"},\"something_new\":[1,{}]"
      ",\"functions\":[],"
      "\"cache_prompt\":true,\"modalities\":[\"text\"]");
  good("\"tools\":[{\"type\":\"function\"}],\"tool_choice\":\"none\"");
}

TEST_CASE("request: text parts of a content are joined to what the string form says") {
  CompletionRequest out;
  REQUIRE(!parse_chat(*parse_json(R"({"messages":[{"role":"user","content":[{"type":"text","text":"안"},)"
                                  R"({"type":"text","text":"녕"}]}]})"),
                      kSeed, out));
  CHECK(std::get<ChatPrompt>(out.requests.front().prompt).messages.front().content == "안녕");
}

TEST_CASE("request: a faulty message is named by its place") {
  struct {
    const char* messages;
    const char* param;
  } cases[] = {{"[]", "messages"},
               {"{}", "messages"},
               {"null", "messages"},
               {"[1]", "messages[0]"},
               {"[{}]", "messages[0].role"},
               {R"([{"role":"king","content":"x"}])", "messages[0].role"},
               {R"([{"role":"user"}])", "messages[0].content"},
               {R"([{"role":"user","content":null}])", "messages[0].content"},
               {R"([{"role":"user","content":[]}])", "messages[0].content"},
               {R"([{"role":"user","content":5}])", "messages[0].content"},
               {R"([{"role":"user","content":"a"},{"role":"user","content":[{"type":"image_url"}]}])",
                "messages[1].content[0].type"},
               {R"([{"role":"user","content":[{"type":"text"}]}])", "messages[0].content[0].text"},
               {R"([{"role":"assistant","content":null}])", "messages[0].content"},
               {R"([{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}}]}])",
                "messages[0].tool_calls[0].function.arguments"},
               {R"([{"role":"user","content":"x","tool_calls":[{"id":"a","function":{"name":"f"}}]}])",
                "messages[0].tool_calls"},
               {R"([{"role":"assistant","tool_calls":[1]}])", "messages[0].tool_calls[0]"}};
  for (const auto& c : cases) {
    CAPTURE(c.messages);
    CHECK(message_fault(c.messages) == c.param);
  }
}

TEST_CASE("request: an assistant with tool calls needs no content, and arguments may be an object") {
  CompletionRequest out;
  REQUIRE(!parse_chat(
      *parse_json(
          R"({"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function",)"
          R"("function":{"name":"f","arguments":{"도시":"서울"}}}]},)"
          R"({"role":"tool","tool_call_id":"zzz","content":"x"}]})"),
      kSeed, out));
  const auto& messages = std::get<ChatPrompt>(out.requests.front().prompt).messages;
  CHECK(!messages[0].has_content);
  CHECK(messages[0].tool_calls[0].arguments == R"({"도시":"서울"})");
  CHECK(messages[1].tool_call_id == "zzz");
}

TEST_CASE("request: a completion's prompt has four forms") {
  CompletionRequest a, b, c, d;
  REQUIRE(!completion(R"({"prompt":"x"})", a));
  CHECK(std::get<TextPrompt>(a.requests[0].prompt).text == "x");
  CHECK(a.requests[0].max_tokens == kCompletionTokensDefault);
  REQUIRE(!completion(R"({"prompt":["x","y"]})", b));
  CHECK(b.requests.size() == 2);
  REQUIRE(!completion(R"({"prompt":[1,2]})", c));
  CHECK(std::get<TokenPrompt>(c.requests[0].prompt).ids == std::vector<TokenId>{1, 2});
  REQUIRE(!completion(R"({"prompt":[[1],[2,3]]})", d));
  CHECK(d.requests.size() == 2);
}

TEST_CASE("request: a completion's faults name their field") {
  struct {
    const char* body;
    const char* param;
  } cases[] = {{R"({})", "prompt"},
               {R"({"prompt":[]})", "prompt"},
               {R"({"prompt":5})", "prompt"},
               {R"({"prompt":[-1]})", "prompt"},
               {R"({"prompt":[1.5]})", "prompt"},
               {R"({"prompt":[4294967296]})", "prompt"},
               {R"({"prompt":[[]]})", "prompt"},
               {R"({"prompt":[["a"]]})", "prompt"},
               {R"({"prompt":[1,"a"]})", "prompt"},
               {R"({"prompt":"x","suffix":"y"})", "suffix"},
               {R"({"prompt":"x","best_of":3})", "best_of"},
               {R"({"prompt":"x","logprobs":21})", "logprobs"},
               {R"({"prompt":"x","logprobs":true})", "logprobs"},
               {R"({"prompt":"x","echo":1})", "echo"}};
  for (const auto& c : cases) {
    CAPTURE(c.body);
    CompletionRequest out;
    const auto error = completion(c.body, out);
    REQUIRE(error);
    CHECK(error->param == c.param);
  }
}

TEST_CASE("request: a missing, null or empty model is no model; another type is a fault") {
  CHECK(*model_field(*parse_json("{}")) == "");
  CHECK(*model_field(*parse_json("{\"model\":null}")) == "");
  CHECK(!model_field(*parse_json("{\"model\":5}")));
  CHECK(!model_field(*parse_json("[]")));
}

}  // namespace ondol::api
