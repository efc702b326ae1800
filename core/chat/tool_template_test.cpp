#include <doctest/doctest.h>

#include "core/chat/chat_template.h"
#include "core/gguf/writer.h"
#include "core/tokenizer/test_vocabularies.h"

namespace ondol::chat {
namespace {

constexpr const char* kPlain = "plain{{ messages[0].content }}";
constexpr const char* kForTools = "<think>{{ tools | length }}{{ messages[0].content }}";

// The template of a file with these keys; an empty text is a missing key.
Result<std::unique_ptr<ChatTemplate>> load(const std::string& plain, const std::string& for_tools) {
  static const ManualClock clock;
  gguf::Writer writer;
  writer.add("general.architecture", "llama").add("general.name", "tiny chat");
  writer.add("tokenizer.chat_templates", std::vector<std::string>{"tool_use"});
  if (!plain.empty()) writer.add("tokenizer.chat_template", plain);
  if (!for_tools.empty()) writer.add("tokenizer.chat_template.tool_use", for_tools);
  const std::string bytes = writer.to_bytes();
  ONDOL_TRY(const std::unique_ptr<gguf::File> file,
            gguf::File::parse(std::as_bytes(std::span(bytes)), "test.gguf"));
  ONDOL_TRY(const std::unique_ptr<Tokenizer> tokenizer, make_tokenizer(spm_test_vocabulary()));
  return ChatTemplate::load(*file, *tokenizer, clock);
}

std::string render(const ChatTemplate& chat, const std::string& tools_json) {
  Message message;
  message.role = "user";
  message.content = "!";
  RenderOptions options;
  options.tools_json = tools_json;
  const auto out = chat.render({message}, options);
  return out ? out->text() : "error in " + out.error().where + ": " + out.error().message;
}

const std::string kTools = R"([{"type": "function"}])";

TEST_CASE(
    "tool template: a request with tools is rendered by the file's template for tools, others are not") {
  const auto chat = load(kPlain, kForTools);
  REQUIRE(chat);
  CHECK(render(**chat, "") == "plain!");
  CHECK(render(**chat, "[ ]") == "plain!");
  CHECK(render(**chat, kTools) == "<think>1!");
  CHECK(render(**chat, "[").starts_with("error in tools"));
  CHECK((*chat)->origin() == "file");
}

TEST_CASE("tool template: the source is that of the template which renders such a request") {
  const auto chat = load(kPlain, kForTools);
  REQUIRE(chat);
  RenderOptions options;
  CHECK((*chat)->source(options) == kPlain);
  options.tools_json = kTools;
  CHECK((*chat)->source(options) == kForTools);
}

TEST_CASE(
    "tool template: without one the only template gets the tools or says that it has no place for them") {
  const auto chat = load(kForTools, "");
  REQUIRE(chat);
  CHECK(render(**chat, kTools) == "<think>1!");
  const auto without = load(kPlain, "");
  REQUIRE(without);
  CHECK(render(**without, kTools).find("no place for tools") != std::string::npos);
}

TEST_CASE("tool template: a family's default goes with it where the file has no other template") {
  const auto chat = load("", kForTools);
  REQUIRE(chat);
  CHECK((*chat)->origin() == "llama2");
  CHECK(render(**chat, "") == "<s>[INST] ! [/INST]");
  CHECK(render(**chat, kTools) == "<think>1!");
}

TEST_CASE("tool template: a broken one is an error of requests with tools alone") {
  const auto chat = load(kPlain, "\n{% if %}");
  REQUIRE(chat);
  CHECK(render(**chat, "") == "plain!");
  CHECK(render(**chat, kTools).starts_with("error in tools: the model's template for tools: "));
  CHECK(render(**chat, kTools).find("2:") != std::string::npos);
  RenderOptions options;
  options.tools_json = kTools;
  CHECK((*chat)->source(options) == kPlain);
}

}  // namespace
}  // namespace ondol::chat
