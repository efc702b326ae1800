#include "core/engine/prepare.h"

#include "core/chat/encode_chat.h"

namespace ondol {
namespace {

struct Prompt {
  std::vector<TokenId> ids;
  std::string text;
  std::optional<chat::ReasoningTags> reasoning;  // chats with a model that thinks aloud
};

chat::RenderOptions render_options(const ChatPrompt& prompt) {
  return {prompt.add_generation_prompt, prompt.tools_json, prompt.template_kwargs_json};
}

Result<Prompt> prompt_of(const ChatPrompt& prompt, const ModelParts& model) {
  ONDOL_TRY(const chat::Rendered rendered, render_chat(prompt, model));
  return Prompt{chat::encode_chat(rendered, *model.tokenizer), rendered.text(),
                chat::detect_reasoning_tags(model.chat_template->source(render_options(prompt)))};
}

Result<Prompt> prompt_of(const TextPrompt& prompt, const ModelParts& model) {
  Prompt out{model.tokenizer->encode(prompt.text, prompt.parse_special), prompt.text, {}};
  begin_with_bos(*model.tokenizer, out.ids);
  return out;
}

Result<Prompt> prompt_of(const TokenPrompt& prompt, const ModelParts& model) {
  for (TokenId id : prompt.ids) {
    if (id < 0 || id >= model.tokenizer->size())
      return Error{Code::kInvalidArgument,
                   "token " + std::to_string(id) + " is not in the vocabulary of " +
                       std::to_string(model.tokenizer->size()),
                   "prompt"};
  }
  return Prompt{prompt.ids, model.tokenizer->decode(prompt.ids, true), {}};
}

Result<void> check_fields(const Request& request, int64_t vocabulary) {
  ONDOL_RETURN_IF_ERROR(check_sampling(request.sampling, vocabulary));
  if (request.n < 1 || request.n > kChoicesMax)
    return Error{Code::kInvalidArgument, "must be from 1 to " + std::to_string(kChoicesMax), "n"};
  if (request.max_tokens && *request.max_tokens < 1)
    return Error{Code::kInvalidArgument, "must be at least 1", "max_tokens"};
  if (request.stop.size() > kStopsMax)
    return Error{Code::kInvalidArgument, "at most " + std::to_string(kStopsMax) + " stop strings", "stop"};
  for (const std::string& stop : request.stop) {
    if (stop.empty() || stop.size() > kStopBytesMax)
      return Error{Code::kInvalidArgument,
                   "a stop string must have 1 to " + std::to_string(kStopBytesMax) + " bytes", "stop"};
  }
  return {};
}

}  // namespace

Result<chat::Rendered> render_chat(const ChatPrompt& prompt, const ModelParts& model) {
  if (!model.chat_template)
    return Error{Code::kInvalidArgument, "this model cannot chat: " + model.chat_template_error, "model"};
  auto rendered = model.chat_template->render(prompt.messages, render_options(prompt));
  if (rendered || !rendered.error().where.empty()) return rendered;
  Error error = rendered.error();
  error.where = "messages";
  return error;
}

Result<Prepared> prepare(const Request& request, const ModelParts& model) {
  const RunnerInfo& info = model.runner->info();
  ONDOL_RETURN_IF_ERROR(check_fields(request, info.vocabulary));
  ONDOL_TRY(Prompt prompt,
            std::visit([&](const auto& prompt) { return prompt_of(prompt, model); }, request.prompt));
  if (prompt.ids.empty()) return Error{Code::kInvalidArgument, "the prompt is empty", "prompt"};

  const int64_t prompt_tokens = static_cast<int64_t>(prompt.ids.size());
  const int64_t context = info.context;
  const std::string limit = "This model's maximum context length is " + std::to_string(context) + " tokens";
  if (prompt_tokens >= context)
    return Error{Code::kContextLength,
                 limit + ", but the prompt has " + std::to_string(prompt_tokens) +
                     " tokens and at least one must be left for the answer.",
                 "messages"};
  if (request.max_tokens && *request.max_tokens > context - prompt_tokens)
    return Error{Code::kContextLength,
                 limit + ", but " + std::to_string(prompt_tokens) + " in the prompt and " +
                     std::to_string(*request.max_tokens) + " for the answer were asked for.",
                 "max_tokens"};

  Prepared prepared;
  prepared.job.prompt = std::move(prompt.ids);
  prepared.job.sampling = request.sampling;
  prepared.job.tokens_max = request.max_tokens.value_or(context - prompt_tokens);
  prepared.job.choices = request.n;
  if (prompt.reasoning)
    prepared.splitter.emplace(*prompt.reasoning,
                              chat::prompt_opens_reasoning(prompt.text, *prompt.reasoning));
  prepared.prompt_text = std::move(prompt.text);
  return prepared;
}

}  // namespace ondol
