#include "app/api/completion_request.h"

#include <charconv>
#include <limits>

#include "app/api/chat_messages.h"
#include "app/api/field_reader.h"

namespace ondol::api {
namespace {

constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();

// Given and not neutral: null, false, "", [] and {} ask for nothing.
bool asks(const Json* value) {
  if (!value) return false;
  if (value->is_boolean()) return value->get<bool>();
  if (value->is_string() || value->is_array() || value->is_object()) return !value->empty() && *value != "";
  return true;
}

// What would change the answer and cannot be done here is refused, never ignored (design: fail closed).
void refuse_unsupported(FieldReader& fields) {
  for (const char* name :
       {"functions", "grammar", "json_schema", "guided_json", "guided_regex", "guided_choice",
        "guided_grammar", "structured_outputs", "continue_final_message", "use_beam_search", "suffix"}) {
    if (asks(fields.find(name))) fields.fail(name, "is not supported", "unsupported_parameter");
  }
  if (const Json* format = fields.object("response_format")) {
    FieldReader inner(*format, "response_format.");
    const auto type = inner.string("type");
    if (inner.error())
      fields.take_error(inner);
    else if (!type)
      fields.fail("response_format", "must have a 'type'");
    else if (*type != "text")
      fields.fail("response_format", "other than {\"type\":\"text\"} is not supported",
                  "unsupported_parameter");
  }
  if (const Json* modalities = fields.array("modalities")) {
    for (const Json& one : *modalities) {
      if (one != "text")
        fields.fail("modalities", "other than [\"text\"] is not supported", "unsupported_parameter");
    }
  }
}

void refuse_tools(FieldReader& fields) {
  const Json* choice = fields.find("tool_choice");
  const bool none = choice && *choice == "none";
  if (const Json* tools = fields.array("tools"); tools && !tools->empty() && !none)
    fields.fail("tools", "is not supported yet", "unsupported_parameter");
  if (choice && *choice != "none" && *choice != "auto")
    fields.fail("tool_choice", "other than 'none' and 'auto' is not supported yet", "unsupported_parameter");
}

void read_logit_bias(FieldReader& fields, SamplingOptions& out) {
  const Json* bias = fields.object("logit_bias");
  if (!bias) return;
  if (bias->size() > kLogitBiasMax)
    return fields.fail("logit_bias", "may have " + std::to_string(kLogitBiasMax) + " entries at most");
  for (const auto& [key, value] : bias->items()) {
    int32_t id = -1;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
    if (error != std::errc() || end != key.data() + key.size() || id < 0)
      return fields.fail("logit_bias", "must map token ids to numbers");
    const double number = value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
    if (!(number >= -100 && number <= 100))
      return fields.fail("logit_bias", "must hold numbers from -100 to 100");
    out.logit_bias.emplace_back(id, static_cast<float>(number));
  }
}

void read_sampling(FieldReader& fields, uint64_t random_seed, SamplingOptions& out) {
  out.temperature = fields.number("temperature", 0, 2).value_or(out.temperature);
  out.top_p = fields.number("top_p", 0, 1, true).value_or(out.top_p);
  out.min_p = fields.number("min_p", 0, 1).value_or(out.min_p);
  out.top_k =
      static_cast<int32_t>(std::max<int64_t>(0, fields.integer("top_k", -1, kInt32Max).value_or(out.top_k)));
  out.presence_penalty = fields.number("presence_penalty", -2, 2).value_or(out.presence_penalty);
  out.frequency_penalty = fields.number("frequency_penalty", -2, 2).value_or(out.frequency_penalty);
  const auto other_name = fields.number("repetition_penalty", 0, 10, true);
  out.repeat_penalty =
      fields.number("repeat_penalty", 0, 10, true).value_or(other_name.value_or(out.repeat_penalty));
  out.repeat_last_n =
      static_cast<int32_t>(fields.integer("repeat_last_n", -1, kInt32Max).value_or(out.repeat_last_n));
  const auto seed =
      fields.integer("seed", std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
  out.seed = seed ? static_cast<uint64_t>(*seed) : random_seed;
  read_logit_bias(fields, out);
}

std::vector<std::string> read_stop(FieldReader& fields) {
  std::vector<std::string> out;
  const Json* stop = fields.find("stop");
  if (!stop) return out;
  if (stop->is_string()) {
    out.push_back(stop->get<std::string>());
  } else if (stop->is_array()) {
    if (stop->size() > kStopsMax)
      return fields.fail("stop", "may have " + std::to_string(kStopsMax) + " strings at most"), out;
    for (const Json& one : *stop) {
      if (!one.is_string())
        return fields.fail("stop", "must be a string or an array of strings", "invalid_type"), out;
      out.push_back(one.get<std::string>());
    }
  } else {
    return fields.fail("stop", "must be a string or an array of strings", "invalid_type"), out;
  }
  for (const std::string& one : out) {
    if (one.empty() || one.size() > kStopBytesMax)
      fields.fail("stop", "must hold strings of 1 to " + std::to_string(kStopBytesMax) + " bytes");
  }
  return out;
}

void read_streaming(FieldReader& fields, CompletionRequest& out) {
  out.stream = fields.boolean("stream").value_or(false);
  const Json* options = fields.object("stream_options");
  if (!options) return;
  if (!out.stream) return fields.fail("stream_options", "is only allowed when 'stream' is true");
  FieldReader inner(*options, "stream_options.");
  out.include_usage = inner.boolean("include_usage").value_or(false);
  fields.take_error(inner);
}

// What both endpoints share. max_tokens: of the two names, the smaller one counts.
Request read_common(FieldReader& fields, uint64_t random_seed, CompletionRequest& out) {
  Request request;
  read_streaming(fields, out);
  refuse_unsupported(fields);
  read_sampling(fields, random_seed, request.sampling);
  request.stop = read_stop(fields);
  request.n = static_cast<int32_t>(fields.integer("n", 1, kChoicesMax).value_or(1));
  const auto max_tokens = fields.integer("max_tokens", 1, kInt32Max);
  const auto max_completion_tokens = fields.integer("max_completion_tokens", 1, kInt32Max);
  request.max_tokens = max_tokens;
  if (max_completion_tokens && (!max_tokens || *max_completion_tokens < *max_tokens))
    request.max_tokens = max_completion_tokens;
  request.ignore_eos = fields.boolean("ignore_eos").value_or(false);
  return request;
}

void read_chat_logprobs(FieldReader& fields, SamplingOptions& out) {
  out.logprobs = fields.boolean("logprobs").value_or(false);
  const auto top = fields.integer("top_logprobs", 0, kTopLogprobsMax);
  if (top && !out.logprobs) fields.fail("top_logprobs", "needs 'logprobs' to be true");
  out.top_logprobs = static_cast<int32_t>(top.value_or(0));
}

void read_completion_logprobs(FieldReader& fields, SamplingOptions& out) {
  const auto top = fields.integer("logprobs", 0, kTopLogprobsMax);
  out.logprobs = top.has_value();
  out.top_logprobs = static_cast<int32_t>(top.value_or(0));
}

using Prompt = decltype(Request::prompt);

std::vector<Prompt> read_prompts(FieldReader& fields) {
  std::vector<Prompt> out;
  const Json* prompt = fields.find("prompt");
  if (!prompt) return fields.fail("prompt", "is missing", "missing_field"), out;
  if (prompt->is_string()) return {TextPrompt{prompt->get<std::string>()}};
  const char* const forms =
      "must be a string, an array of strings, an array of token ids or an array of such arrays";
  if (!prompt->is_array()) return fields.fail("prompt", forms, "invalid_type"), out;
  if (prompt->empty()) return fields.fail("prompt", "must not be empty"), out;
  if (prompt->front().is_number()) {
    auto ids = token_ids(*prompt);
    if (!ids) return fields.fail("prompt", forms), out;
    return {TokenPrompt{std::move(*ids)}};
  }
  if (prompt->size() > kPromptsMax)
    return fields.fail("prompt", "may hold " + std::to_string(kPromptsMax) + " prompts at most"), out;
  for (const Json& one : *prompt) {
    if (one.is_string()) {
      out.emplace_back(TextPrompt{one.get<std::string>()});
      continue;
    }
    auto ids = one.is_array() && !one.empty() ? token_ids(one) : std::nullopt;
    if (!ids) return fields.fail("prompt", forms), out;
    out.emplace_back(TokenPrompt{std::move(*ids)});
  }
  return out;
}

}  // namespace

std::optional<std::vector<TokenId>> token_ids(const Json& array) {
  std::vector<TokenId> ids;
  ids.reserve(array.size());
  for (const Json& one : array) {
    if (!one.is_number_integer()) return std::nullopt;
    if (one.is_number_unsigned() && one.get<uint64_t>() > static_cast<uint64_t>(kInt32Max))
      return std::nullopt;
    const int64_t id = one.get<int64_t>();
    if (id < 0) return std::nullopt;
    ids.push_back(static_cast<TokenId>(id));
  }
  return ids;
}

Result<std::string> model_field(const Json& body) {
  if (!body.is_object()) return Error{Code::kInvalidArgument, "the request body must be a JSON object", ""};
  const auto found = body.find("model");
  if (found == body.end() || found->is_null()) return std::string();
  if (!found->is_string()) return Error{Code::kInvalidArgument, "'model' must be a string", "model"};
  return found->get<std::string>();
}

std::optional<ApiError> parse_chat(const Json& body, uint64_t random_seed, CompletionRequest& out) {
  FieldReader fields(body);
  out.chat = true;
  ChatPrompt prompt;
  prompt.messages = read_messages(fields, kMessagesMax);
  prompt.add_generation_prompt = fields.boolean("add_generation_prompt").value_or(true);
  if (const Json* kwargs = fields.object("chat_template_kwargs"))
    prompt.template_kwargs_json = to_text(*kwargs);
  Request request = read_common(fields, random_seed, out);
  refuse_tools(fields);
  read_chat_logprobs(fields, request.sampling);
  request.prompt = std::move(prompt);
  out.requests.push_back(std::move(request));
  return fields.error();
}

std::optional<ApiError> parse_completion(const Json& body, uint64_t random_seed, CompletionRequest& out) {
  FieldReader fields(body);
  out.chat = false;
  std::vector<Prompt> prompts = read_prompts(fields);
  Request request = read_common(fields, random_seed, out);
  read_completion_logprobs(fields, request.sampling);
  request.echo = fields.boolean("echo").value_or(false);
  if (!request.max_tokens) request.max_tokens = kCompletionTokensDefault;
  const auto best_of = fields.integer("best_of", 1, kChoicesMax);
  if (best_of && *best_of != request.n)
    fields.fail("best_of", "other than 'n' is not supported", "unsupported_parameter");
  for (Prompt& prompt : prompts) {
    out.requests.push_back(request);
    out.requests.back().prompt = std::move(prompt);
  }
  return fields.error();
}

}  // namespace ondol::api
