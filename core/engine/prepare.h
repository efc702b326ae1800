// From a Request to a job for the scheduler: template, tokens, checks. Everything that can be wrong with a
// request is found here, before any event (design: section 2, step 4). Pure; any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/chat/chat_template.h"
#include "core/chat/reasoning_splitter.h"
#include "core/engine/engine.h"
#include "core/scheduler/scheduler.h"
#include "core/tokenizer/tokenizer.h"

namespace ondol {

// A loaded model, as the engine holds it. Immutable but for the runner, which is the scheduler's.
struct ModelParts {
  std::unique_ptr<Tokenizer> tokenizer;
  std::unique_ptr<chat::ChatTemplate> chat_template;  // null: the file has none and its family no default
  std::string chat_template_error;                    // why it is null
  std::unique_ptr<Runner> runner;
  std::vector<std::string> fallbacks;
};

struct Prepared {
  JobRequest job;                                   // without its sink
  std::string prompt_text;                          // for `echo`
  std::optional<chat::ReasoningSplitter> splitter;  // chats with a model that thinks aloud
};

// The chat as text spans. kInvalidArgument: the model cannot chat, or its template refuses.
Result<chat::Rendered> render_chat(const ChatPrompt& prompt, const ModelParts& model);

// kInvalidArgument (`where` names the field), kContextLength (both numbers in the message).
Result<Prepared> prepare(const Request& request, const ModelParts& model);

}  // namespace ondol
