// Any template over any message: no crash, no leak, bounded time and memory. Before the first NUL byte
// stands the template, after it the content of a user message. Seeds: tests/fuzz/corpus/chat_template.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/check.h"
#include "core/base/clock.h"
#include "core/chat/conversation.h"
#include "core/chat/jinja/interpreter.h"
#include "core/chat/jinja/parser.h"
#include "core/chat/reasoning_splitter.h"

using namespace ondol;
using namespace ondol::chat;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  const size_t cut = std::min(input.find('\0'), input.size());
  const std::string source = input.substr(0, cut);
  const std::string content = cut < input.size() ? input.substr(cut + 1) : "hi <think>x</think> y";
  auto block = jinja::parse_template(source);
  if (block) {
    jinja::Limits limits;
    limits.steps_max = 20'000;
    limits.output_bytes_max = 1 << 18;
    limits.heap_bytes_max = 1 << 23;
    const ManualClock clock;
    jinja::Interpreter interpreter(limits, clock);
    Message user, call;
    user.role = "user";
    user.content = content;
    call.role = "assistant";
    call.has_content = false;
    call.tool_calls.push_back({"call00001", "f", content});
    interpreter.set_variable("messages", messages_value(interpreter.heap(), {user, call, user}, {}));
    interpreter.set_variable("bos_token", jinja::Value::string("<s>"));
    auto out = interpreter.run(*block);
    if (out) {
      CHECK(static_cast<int64_t>(out->size()) <= limits.output_bytes_max);
      size_t begin = 0;
      for (const auto& run : out->runs()) {
        CHECK(run.end > begin);
        begin = run.end;
      }
      CHECK(begin == out->size());
    }
  }
  // The splitter gives one answer, whole or in two pieces.
  const ReasoningTags tags{"<think>", "</think>"};
  ReasoningSplitter whole(tags, size % 2 == 0), halves(tags, size % 2 == 0);
  SplitText a = whole.push(content);
  const SplitText a_end = whole.finish();
  SplitText b = halves.push(content.substr(0, content.size() / 2));
  const SplitText b_next = halves.push(content.substr(content.size() / 2));
  const SplitText b_end = halves.finish();
  CHECK(a.reasoning + a_end.reasoning == b.reasoning + b_next.reasoning + b_end.reasoning);
  CHECK(a.content + a_end.content == b.content + b_next.content + b_end.content);
  return 0;
}
