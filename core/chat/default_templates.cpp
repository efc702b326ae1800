#include "core/chat/default_templates.h"

#include <algorithm>
#include <array>

namespace ondol::chat {
namespace {

constexpr std::string_view kChatml =
    R"({%- for m in messages -%}
{{ '<|im_start|>' + m.role + '\n' + (m.content or '') + '<|im_end|>\n' }}
{%- endfor -%}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif -%})";

constexpr std::string_view kLlama2 =
    R"({%- set ns = namespace(system='') -%}
{%- for m in messages -%}
{%- if m.role == 'system' -%}
{%- set ns.system = '<<SYS>>\n' + m.content + '\n<</SYS>>\n\n' -%}
{%- elif m.role == 'assistant' -%}
{{ ' ' + (m.content or '') | trim + ' ' + eos_token }}
{%- else -%}
{{ bos_token + '[INST] ' + ns.system + m.content | trim + ' [/INST]' }}
{%- set ns.system = '' -%}
{%- endif -%}
{%- endfor -%})";

constexpr std::string_view kLlama3 =
    R"({{- bos_token -}}
{%- for m in messages -%}
{{ '<|start_header_id|>' + m.role + '<|end_header_id|>\n\n' + (m.content or '') | trim + '<|eot_id|>' }}
{%- endfor -%}
{%- if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif -%})";

constexpr std::string_view kGemma =
    R"({{- bos_token -}}
{%- set ns = namespace(system='') -%}
{%- for m in messages -%}
{%- if m.role == 'system' -%}
{%- set ns.system = ns.system + m.content | trim + '\n\n' -%}
{%- else -%}
{{ '<start_of_turn>' + ('model' if m.role == 'assistant' else m.role) + '\n' -}}
{%- if m.role == 'user' %}{{ ns.system }}{% set ns.system = '' %}{% endif -%}
{{ (m.content or '') | trim + '<end_of_turn>\n' }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif -%})";

constexpr std::string_view kPhi3 =
    R"({%- for m in messages -%}
{{ '<|' + m.role + '|>\n' + (m.content or '') + '<|end|>\n' }}
{%- endfor -%}
{%- if add_generation_prompt %}{{ '<|assistant|>\n' }}{% endif -%})";

constexpr std::string_view kMistral =
    R"({{- bos_token -}}
{%- set ns = namespace(system='') -%}
{%- for m in messages -%}
{%- if m.role == 'system' -%}
{%- set ns.system = m.content + '\n\n' -%}
{%- elif m.role == 'assistant' -%}
{{ ' ' + (m.content or '') | trim + eos_token }}
{%- else -%}
{{ '[INST] ' + ns.system + m.content + '[/INST]' }}
{%- set ns.system = '' -%}
{%- endif -%}
{%- endfor -%})";

constexpr std::string_view kExaone =
    R"({%- for m in messages -%}
{%- if loop.first and m.role != 'system' %}{{ '[|system|][|endofturn|]\n' }}{% endif -%}
{{ '[|' + m.role + '|]' + (m.content or '') }}
{{- '\n' if m.role == 'user' else '[|endofturn|]\n' -}}
{%- endfor -%}
{%- if add_generation_prompt %}{{ '[|assistant|]' }}{% endif -%})";

constexpr std::string_view kExaone4 =
    R"({%- for m in messages -%}
{{ '[|' + m.role + '|]\n' + (m.content or '') + '[|endofturn|]\n' }}
{%- endfor -%}
{%- if add_generation_prompt %}{{ '[|assistant|]\n' }}{% endif -%})";

constexpr std::string_view kCommandR =
    R"({{- bos_token -}}
{%- set tokens = {'system': '<|SYSTEM_TOKEN|>', 'user': '<|USER_TOKEN|>',
                  'assistant': '<|CHATBOT_TOKEN|>'} -%}
{%- for m in messages -%}
{{ '<|START_OF_TURN_TOKEN|>' + tokens[m.role] + (m.content or '') | trim + '<|END_OF_TURN_TOKEN|>' }}
{%- endfor -%}
{%- if add_generation_prompt %}{{ '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' }}{% endif -%})";

constexpr std::string_view kGranite =
    R"({%- for m in messages -%}
{{ '<|start_of_role|>' + m.role + '<|end_of_role|>' + (m.content or '') + '<|end_of_text|>\n' }}
{%- endfor -%}
{%- if add_generation_prompt %}{{ '<|start_of_role|>assistant<|end_of_role|>' }}{% endif -%})";

constexpr std::string_view kDeepseek =
    R"({{- bos_token -}}
{%- for m in messages -%}
{%- if m.role == 'system' %}{{ m.content }}
{%- elif m.role == 'assistant' %}{{ '<｜Assistant｜>' + (m.content or '') + eos_token }}
{%- else %}{{ '<｜User｜>' + m.content }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt %}{{ '<｜Assistant｜>' }}{% endif -%})";

struct Rule {
  DefaultTemplate chosen;
  std::array<std::string_view, 2> tokens;  // all must be in the vocabulary; empty: none needed
  std::string_view architecture;           // empty: any
  bool needs_chat_tuning = false;
};

// The first rule that fits wins.
constexpr Rule kRules[] = {
    {{"exaone4", kExaone4}, {"[|assistant|]", "[|endofturn|]"}, "exaone4"},
    {{"exaone", kExaone}, {"[|assistant|]", "[|endofturn|]"}, ""},
    {{"llama3", kLlama3}, {"<|start_header_id|>", "<|eot_id|>"}, ""},
    {{"gemma", kGemma}, {"<start_of_turn>", "<end_of_turn>"}, ""},
    {{"granite", kGranite}, {"<|start_of_role|>", "<|end_of_role|>"}, ""},
    {{"command-r", kCommandR}, {"<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>"}, ""},
    {{"deepseek", kDeepseek}, {"<｜User｜>", "<｜Assistant｜>"}, ""},
    {{"chatml", kChatml}, {"<|im_start|>", "<|im_end|>"}, ""},
    {{"phi3", kPhi3}, {"<|assistant|>", "<|end|>"}, ""},
    {{"mistral", kMistral}, {"[INST]", "[/INST]"}, ""},
    {{"llama2", kLlama2}, {"<s>", "</s>"}, "llama", true},
};

}  // namespace

const DefaultTemplate* default_template(std::string_view architecture, bool tuned_for_chat,
                                        const std::function<bool(std::string_view)>& has_token) {
  for (const Rule& rule : kRules) {
    if (!rule.architecture.empty() && rule.architecture != architecture) continue;
    if (rule.needs_chat_tuning && !tuned_for_chat) continue;
    if (std::all_of(rule.tokens.begin(), rule.tokens.end(), has_token)) return &rule.chosen;
  }
  return nullptr;
}

const DefaultTemplate* default_template_named(std::string_view name) {
  for (const Rule& rule : kRules) {
    if (rule.chosen.name == name) return &rule.chosen;
  }
  return nullptr;
}

}  // namespace ondol::chat
