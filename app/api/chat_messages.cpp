#include "app/api/chat_messages.h"

namespace ondol::api {
namespace {

bool known_role(const std::string& role) {
  return role == "system" || role == "developer" || role == "user" || role == "assistant" || role == "tool";
}

// A string, or an array of text parts, which are joined as they are.
void read_content(FieldReader& fields, chat::Message& message) {
  const Json* content = fields.find("content");
  if (!content) {
    message.has_content = false;
    if (message.role != "assistant" || message.tool_calls.empty())
      fields.fail("content", "is missing; only an assistant message with tool calls may go without",
                  "missing_field");
    return;
  }
  if (content->is_string()) {
    message.content = content->get<std::string>();
    return;
  }
  if (!content->is_array())
    return fields.fail("content", "must be a string or an array of parts", "invalid_type");
  if (content->empty()) return fields.fail("content", "must have at least one part");
  for (size_t i = 0; i < content->size(); ++i) {
    const std::string place = "content[" + std::to_string(i) + "]";
    const Json& part = (*content)[i];
    if (!part.is_object()) return fields.fail(place, "must be an object", "invalid_type");
    const auto type = part.find("type");
    if (type == part.end() || !type->is_string())
      return fields.fail(place + ".type", "must be a string", "invalid_type");
    if (*type != "text")
      return fields.fail(place + ".type", "must be 'text'; other kinds of parts are not supported");
    const auto text = part.find("text");
    if (text == part.end() || !text->is_string())
      return fields.fail(place + ".text", "must be a string", "invalid_type");
    message.content += text->get_ref<const std::string&>();
  }
}

void read_tool_calls(FieldReader& fields, chat::Message& message, int64_t& key_comparisons_left) {
  const Json* calls = fields.array("tool_calls");
  if (!calls || calls->empty()) return;
  if (message.role != "assistant") return fields.fail("tool_calls", "belongs to assistant messages only");
  for (size_t i = 0; i < calls->size(); ++i) {
    const std::string place = "tool_calls[" + std::to_string(i) + "]";
    const Json& call = (*calls)[i];
    if (!call.is_object()) return fields.fail(place, "must be an object", "invalid_type");
    FieldReader call_fields(call);
    chat::ToolCall out;
    out.id = call_fields.string("id").value_or("");
    const Json* function = call_fields.object("function");
    if (call_fields.error() || !function)
      return fields.fail(place, "must have an id and a function", "invalid_type");
    FieldReader function_fields(*function);
    const auto name = function_fields.string("name");
    if (!name || name->empty())
      return fields.fail(place + ".function.name", "must be a string", "invalid_type");
    out.name = *name;
    const Json* arguments = function_fields.find("arguments");
    if (!arguments) {
      out.arguments = "{}";
    } else if (arguments->is_object()) {
      out.arguments = to_text(*arguments);
    } else if (arguments->is_string()) {
      out.arguments = arguments->get<std::string>();
      if (!parse_json(out.arguments, key_comparisons_left))
        return fields.fail(place + ".function.arguments", "must be JSON, as text or as an object");
    } else {
      return fields.fail(place + ".function.arguments", "must be JSON, as text or as an object",
                         "invalid_type");
    }
    message.tool_calls.push_back(std::move(out));
  }
}

}  // namespace

std::vector<chat::Message> read_messages(FieldReader& fields, size_t messages_max) {
  std::vector<chat::Message> messages;
  const Json* array = fields.array("messages");
  if (!array) return fields.fail("messages", "is missing", "missing_field"), messages;
  if (array->empty()) return fields.fail("messages", "must have at least one message"), messages;
  if (array->size() > messages_max)
    return fields.fail("messages", "may have " + std::to_string(messages_max) + " messages at most"),
           messages;
  int64_t key_comparisons_left = kJsonKeyComparisonsMax;  // of all tool calls' arguments
  for (size_t i = 0; i < array->size(); ++i) {
    const std::string place = "messages[" + std::to_string(i) + "]";
    const Json& item = (*array)[i];
    if (!item.is_object()) return fields.fail(place, "must be an object", "invalid_type"), messages;
    FieldReader one(item, place + ".");
    chat::Message message;
    const auto role = one.string("role");
    if (!one.error() && !role) one.fail("role", "is missing", "missing_field");
    if (role && !known_role(*role))
      one.fail("role", "must be one of system, developer, user, assistant, tool");
    message.role = role.value_or("");
    message.name = one.string("name").value_or("");
    message.reasoning_content = one.string("reasoning_content").value_or("");
    message.tool_call_id = one.string("tool_call_id").value_or("");
    read_tool_calls(one, message, key_comparisons_left);
    read_content(one, message);
    fields.take_error(one);
    if (fields.error()) return messages;
    messages.push_back(std::move(message));
  }
  return messages;
}

}  // namespace ondol::api
