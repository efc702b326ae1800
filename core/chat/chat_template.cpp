#include "core/chat/chat_template.h"

#include <algorithm>

#include "core/chat/conversation.h"
#include "core/chat/default_templates.h"
#include "core/chat/jinja/interpreter.h"
#include "core/chat/jinja/json.h"
#include "core/chat/jinja/parser.h"

namespace ondol::chat {
namespace {

using jinja::Interpreter;
using jinja::Kind;
using jinja::Limits;
using jinja::Text;
using jinja::Value;

constexpr int64_t kProbeStepsMax = 500'000;  // for the trial renders of load()
// Where a file keeps its second template, for requests with tools (as gguf-py writes and llama.cpp reads it).
constexpr const char* kToolUseKey = "tokenizer.chat_template.tool_use";
constexpr std::string_view kReserved[] = {"messages", "tools", "documents", "bos_token", "eos_token"};

std::vector<TextSpan> spans_of(const Text& text) {
  std::vector<TextSpan> out;
  size_t begin = 0;
  for (const Text::Run& run : text.runs()) {
    out.push_back({std::string(text.view().substr(begin, run.end - begin)), !run.from_message});
    begin = run.end;
  }
  return out;
}

// One render: its result, and whether a failure is the template's own refusal.
struct Attempt {
  Result<Text> text;
  bool refused = false;
};

class JinjaChatTemplate final : public ChatTemplate {
 public:
  JinjaChatTemplate(std::string source, std::string origin, std::string bos, std::string eos,
                    const Clock& clock, jinja::Block block)
      : source_(std::move(source)),
        origin_(std::move(origin)),
        bos_(std::move(bos)),
        eos_(std::move(eos)),
        clock_(clock),
        block_(std::move(block)) {
    probe();
  }

  const std::string& source(const RenderOptions&) const override { return source_; }
  const std::string& origin() const override { return origin_; }

  Result<Rendered> render(const std::vector<Message>& messages, const RenderOptions& options) const override {
    std::vector<Message> as_is = messages;
    if (!knows_developer_) {
      for (Message& message : as_is) {
        if (message.role == "developer") message.role = "system";
      }
    }
    const bool calls_tools =
        std::any_of(as_is.begin(), as_is.end(), [](const Message& m) { return !m.tool_calls.empty(); });
    if (calls_tools && source_.find("tool_calls") == std::string::npos) {
      return Error{Code::kInvalidArgument, "the model's chat template has no place for tool calls",
                   "messages"};
    }
    if (drops_system_) as_is = fold_system_into_user(as_is);
    MessageForm form;
    form.empty_instead_of_none = prints_none_;
    Attempt first = attempt(as_is, form, options, Limits{});
    if (first.text) return rendered(*first.text);
    // A template that wants another shape of the same conversation says so by failing.
    if (first.refused) {
      const std::vector<Message> merged = merge_same_roles(as_is);
      if (merged.size() != as_is.size()) {
        if (Attempt next = attempt(merged, form, options, Limits{}); next.text) return rendered(*next.text);
      }
      const std::vector<Message> folded = merge_same_roles(fold_system_into_user(as_is));
      if (folded.size() != merged.size()) {
        if (Attempt next = attempt(folded, form, options, Limits{}); next.text) return rendered(*next.text);
      }
    } else if (calls_tools) {
      form.arguments_as_text = true;
      if (Attempt next = attempt(as_is, form, options, Limits{}); next.text) return rendered(*next.text);
    }
    Error error = first.text.error();
    if (first.refused) {
      error.message = "the model's chat template refused the conversation: " + error.message;
      error.where = "messages";
    }
    return error;
  }

 private:
  Rendered rendered(const Text& text) const {
    Rendered out;
    out.spans = spans_of(text);
    out.starts_with_bos = !bos_.empty() && text.view().starts_with(bos_) &&
                          text.runs().front().end >= bos_.size() && !text.runs().front().from_message;
    return out;
  }

  Result<void> set_variables(Interpreter& interpreter, const RenderOptions& options) const {
    Value tools = Value::none();
    if (!options.tools_json.empty()) {
      Result<Value> parsed = jinja::read_json(interpreter.heap(), options.tools_json, true);
      if (!parsed || !parsed->is(Kind::kList)) {
        return Error{Code::kInvalidArgument,
                     parsed ? "the tools are not a JSON array" : parsed.error().text(), "tools"};
      }
      if (!parsed->items().values.empty()) tools = *parsed;
      if (!tools.is(Kind::kNone) && source_.find("tools") == std::string::npos) {
        return Error{Code::kInvalidArgument, "the model's chat template has no place for tools", "tools"};
      }
    }
    interpreter.set_variable("tools", tools);
    interpreter.set_variable("documents", Value::none());
    interpreter.set_variable("add_generation_prompt", Value::boolean(options.add_generation_prompt));
    interpreter.set_variable("bos_token", Value::string(bos_));
    interpreter.set_variable("eos_token", Value::string(eos_));
    if (options.extra_variables_json.empty()) return {};
    Result<Value> extra = jinja::read_json(interpreter.heap(), options.extra_variables_json, true);
    const char* where = "chat_template_kwargs";
    if (!extra) return Error{Code::kInvalidArgument, extra.error().text(), where};
    if (!extra->is(Kind::kDict)) return Error{Code::kInvalidArgument, "not a JSON object", where};
    for (const jinja::Dict::Entry& entry : extra->entries().entries()) {
      const std::string_view name = entry.key.view();
      if (jinja::has_global(name) ||
          std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved)) {
        return Error{Code::kInvalidArgument, "'" + std::string(name) + "' cannot be set", where};
      }
      interpreter.set_variable(name, entry.value);
    }
    return {};
  }

  Attempt attempt(const std::vector<Message>& messages, const MessageForm& form, const RenderOptions& options,
                  const Limits& limits) const {
    Interpreter interpreter(limits, clock_);
    if (auto set = set_variables(interpreter, options); !set) return {set.error(), false};
    interpreter.set_variable("messages", messages_value(interpreter.heap(), messages, form));
    Result<Text> text = interpreter.run(block_);
    return {std::move(text), interpreter.refused()};
  }

  // Finds out by trial what the template does without saying so.
  void probe() {
    Limits limits;
    limits.steps_max = kProbeStepsMax;
    knows_developer_ = source_.find("developer") != std::string::npos;
    Message system, user, call;
    system.role = "system";
    system.content = "ondol-system-probe";
    user.role = "user";
    user.content = "ondol-user-probe";
    const Attempt with_system = attempt({system, user}, {}, {}, limits);
    drops_system_ = with_system.text &&
                    with_system.text->view().find(system.content) == std::string_view::npos &&
                    with_system.text->view().find(user.content) != std::string_view::npos;
    call.role = "assistant";
    call.has_content = false;
    call.tool_calls.push_back({"call00001", "probe", "{}"});
    MessageForm empty;
    empty.empty_instead_of_none = true;
    const Attempt with_none = attempt({user, call, user}, {}, {}, limits);
    const Attempt with_empty = attempt({user, call, user}, empty, {}, limits);
    const auto count_none = [](const Attempt& a) {
      return a.text && a.text->view().find("None") != std::string_view::npos;
    };
    prints_none_ = with_empty.text && (!with_none.text || (count_none(with_none) && !count_none(with_empty)));
  }

  const std::string source_;
  const std::string origin_;
  const std::string bos_;
  const std::string eos_;
  const Clock& clock_;
  const jinja::Block block_;
  bool knows_developer_ = false;  // the template has a role "developer"; otherwise it becomes "system"
  bool drops_system_ = false;     // the template leaves system messages out in silence
  bool prints_none_ = false;      // missing content would be printed as "None", or fail
};

Result<std::unique_ptr<ChatTemplate>> make(const std::string& source, const std::string& origin,
                                           const std::string& bos, const std::string& eos,
                                           const Clock& clock) {
  ONDOL_TRY(jinja::Block block, jinja::parse_template(source));
  return std::unique_ptr<ChatTemplate>(
      std::make_unique<JinjaChatTemplate>(source, origin, bos, eos, clock, std::move(block)));
}

bool has_tools(const std::string& tools_json) {
  if (tools_json.empty()) return false;
  jinja::Heap heap{Limits{}};
  const Result<Value> parsed = jinja::read_json(heap, tools_json, true);
  return !parsed || !parsed->is(Kind::kList) || !parsed->items().values.empty();  // render() tells of faults
}

// A file's template and the second one that it carries for requests with tools.
class TwoTemplates final : public ChatTemplate {
 public:
  TwoTemplates(std::unique_ptr<ChatTemplate> plain, Result<std::unique_ptr<ChatTemplate>> for_tools)
      : plain_(std::move(plain)), for_tools_(std::move(for_tools)) {}

  Result<Rendered> render(const std::vector<Message>& messages, const RenderOptions& options) const override {
    if (!has_tools(options.tools_json)) return plain_->render(messages, options);
    if (for_tools_) return (*for_tools_)->render(messages, options);
    return Error{Code::kInvalidArgument, "the model's template for tools: " + for_tools_.error().text(),
                 "tools"};
  }
  const std::string& source(const RenderOptions& options) const override {
    return for_tools_ && has_tools(options.tools_json) ? (*for_tools_)->source(options)
                                                       : plain_->source(options);
  }
  const std::string& origin() const override { return plain_->origin(); }

 private:
  const std::unique_ptr<ChatTemplate> plain_;
  const Result<std::unique_ptr<ChatTemplate>> for_tools_;
};

bool says_chat(const gguf::File& file) {
  for (const char* key : {"general.name", "general.finetune", "general.basename"}) {
    std::string text(file.string(key).value_or(""));
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
    if (text.find("chat") != std::string::npos || text.find("instruct") != std::string::npos) return true;
  }
  return false;
}

Result<std::unique_ptr<ChatTemplate>> family_default(const gguf::File& file, const Tokenizer& tokenizer,
                                                     const std::string& bos, const std::string& eos,
                                                     const Clock& clock) {
  const std::string architecture(file.string("general.architecture").value_or(""));
  const DefaultTemplate* chosen =
      default_template(architecture, says_chat(file),
                       [&](std::string_view token) { return tokenizer.find(token).has_value(); });
  if (chosen == nullptr) {
    return Error{Code::kUnsupported,
                 "the file has no chat template, and none is known for architecture '" + architecture +
                     "' with this vocabulary; it can complete text but not chat",
                 file.path()};
  }
  return make(std::string(chosen->source), std::string(chosen->name), bos, eos, clock);
}

}  // namespace

std::string Rendered::text() const {
  std::string out;
  for (const TextSpan& span : spans) out += span.text;
  return out;
}

Result<std::unique_ptr<ChatTemplate>> ChatTemplate::load(const gguf::File& file, const Tokenizer& tokenizer,
                                                         const Clock& clock) {
  const auto text_of = [&](std::optional<TokenId> id) {
    return id ? std::string(tokenizer.raw_text(*id)) : "";
  };
  const std::string bos = text_of(tokenizer.bos());
  const std::string eos = text_of(tokenizer.eos());
  const auto from_file = [&](const char* key) -> Result<std::unique_ptr<ChatTemplate>> {
    ONDOL_TRY(const std::string_view source, file.string(key));
    return make(std::string(source), "file", bos, eos, clock);
  };
  std::unique_ptr<ChatTemplate> plain;
  if (file.has("tokenizer.chat_template")) {
    ONDOL_TRY(plain, from_file("tokenizer.chat_template"));
  } else {
    ONDOL_TRY(plain, family_default(file, tokenizer, bos, eos, clock));
  }
  if (!file.has(kToolUseKey)) return plain;
  return std::unique_ptr<ChatTemplate>(
      std::make_unique<TwoTemplates>(std::move(plain), from_file(kToolUseKey)));
}

Result<std::unique_ptr<ChatTemplate>> ChatTemplate::parse(const std::string& source,
                                                          const std::string& bos_text,
                                                          const std::string& eos_text, const Clock& clock) {
  return make(source, "text", bos_text, eos_text, clock);
}

}  // namespace ondol::chat
