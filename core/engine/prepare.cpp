#include "core/engine/prepare.h"

#include "core/chat/encode_chat.h"

namespace ondol {
namespace {

struct Prompt {
  std::vector<TokenId> ids;
  std::string text;
};

Result<Prompt> prompt_of(const ChatPrompt& prompt, const ModelParts& model) {
  if (!model.chat_template)
    return Error{Code::kInvalidArgument, "this model cannot chat: " + model.chat_template_error, "model"};
  chat::RenderOptions options;
  options.add_generation_prompt = prompt.add_generation_prompt;
  options.tools_json = prompt.tools_json;
  options.extra_variables_json = prompt.template_kwargs_json;
  auto rendered = model.chat_template->render(prompt.messages, options);
  if (!rendered) {
    Error error = rendered.error();
    if (error.where.empty()) error.where = "messages";
    return error;
  }
  return Prompt{chat::encode_chat(*rendered, *model.tokenizer), rendered->text()};
}

Result<Prompt> prompt_of(const TextPrompt& prompt, const ModelParts& model) {
  Prompt out{model.tokenizer->encode(prompt.text, prompt.parse_special), prompt.text};
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
  return Prompt{prompt.ids, model.tokenizer->decode(prompt.ids, true)};
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
  if (std::holds_alternative<ChatPrompt>(request.prompt)) {
    if (const auto tags = chat::detect_reasoning_tags(model.chat_template->source()))
      prepared.splitter.emplace(*tags, chat::prompt_opens_reasoning(prompt.text, *tags));
  }
  prepared.prompt_text = std::move(prompt.text);
  return prepared;
}

}  // namespace ondol
