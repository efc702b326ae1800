#include "core/chat/conversation.h"

#include <algorithm>

#include "core/chat/jinja/json.h"

namespace ondol::chat {
namespace {

using jinja::Heap;
using jinja::Kind;
using jinja::Text;
using jinja::Value;

constexpr std::string_view kRoles[] = {"system", "developer", "user", "assistant", "tool"};

Value marked(Heap& heap, const std::string& text) { return heap.make_string(Text(text, true)); }

Value arguments_value(Heap& heap, const std::string& text, const MessageForm& form) {
  if (!form.arguments_as_text) {
    Result<Value> parsed = jinja::read_json(heap, text, true);
    if (parsed && parsed->is(Kind::kDict)) return *parsed;
    if (text.empty()) return heap.make_dict();
  }
  return marked(heap, text);
}

Value tool_calls_value(Heap& heap, const std::vector<ToolCall>& calls, const MessageForm& form) {
  std::vector<Value> out;
  for (const ToolCall& call : calls) {
    Value function = heap.make_dict();
    function.entries().set("name", marked(heap, call.name));
    function.entries().set("arguments", arguments_value(heap, call.arguments, form));
    Value value = heap.make_dict();
    value.entries().set("id", marked(heap, call.id));
    value.entries().set("type", Value::string("function"));
    value.entries().set("function", function);
    out.push_back(value);
  }
  return heap.make_list(std::move(out));
}

bool plain(const Message& message) { return message.tool_calls.empty() && message.role != "tool"; }

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() ? second : second.empty() ? first : first + "\n\n" + second;
}

}  // namespace

std::vector<Message> merge_same_roles(const std::vector<Message>& messages) {
  std::vector<Message> out;
  for (const Message& message : messages) {
    if (out.empty() || out.back().role != message.role || !plain(message) || !plain(out.back())) {
      out.push_back(message);
      continue;
    }
    out.back().content = joined(out.back().content, message.content);
    out.back().reasoning_content = joined(out.back().reasoning_content, message.reasoning_content);
    out.back().has_content |= message.has_content;
  }
  return out;
}

std::vector<Message> fold_system_into_user(const std::vector<Message>& messages) {
  const auto is_system = [](const Message& m) { return m.role == "system" || m.role == "developer"; };
  if (std::none_of(messages.begin(), messages.end(), [](const Message& m) { return m.role == "user"; })) {
    return messages;
  }
  std::string system;
  std::vector<Message> out;
  for (const Message& message : messages) {
    if (is_system(message)) {
      system = joined(system, message.content);
    } else {
      out.push_back(message);
    }
  }
  const auto user = std::find_if(out.begin(), out.end(), [](const Message& m) { return m.role == "user"; });
  user->content = joined(system, user->content);
  user->has_content = true;
  return out;
}

Value messages_value(Heap& heap, const std::vector<Message>& messages, const MessageForm& form) {
  std::vector<Value> out;
  for (const Message& message : messages) {
    const bool known = std::find(std::begin(kRoles), std::end(kRoles), message.role) != std::end(kRoles);
    Value value = heap.make_dict();
    jinja::Dict& dict = value.entries();
    dict.set("role", heap.make_string(Text(message.role, !known)));
    if (message.has_content || form.empty_instead_of_none) {
      dict.set("content", marked(heap, message.content));
    } else {
      dict.set("content", Value::none());
    }
    if (!message.reasoning_content.empty())
      dict.set("reasoning_content", marked(heap, message.reasoning_content));
    if (!message.name.empty()) dict.set("name", marked(heap, message.name));
    if (!message.tool_calls.empty()) dict.set("tool_calls", tool_calls_value(heap, message.tool_calls, form));
    if (!message.tool_call_id.empty()) dict.set("tool_call_id", marked(heap, message.tool_call_id));
    out.push_back(value);
  }
  return heap.make_list(std::move(out));
}

}  // namespace ondol::chat
