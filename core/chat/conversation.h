// What a conversation may be turned into before a template sees it, and how it becomes template values.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/chat/jinja/value.h"
#include "core/chat/message.h"

namespace ondol::chat {

// Neighbouring messages of one role become one, joined by an empty line. Messages with tool calls and
// tool results stay as they are.
std::vector<Message> merge_same_roles(const std::vector<Message>& messages);
// System messages go in front of the first user message, with an empty line between. Without a user
// message the conversation stays as it is.
std::vector<Message> fold_system_into_user(const std::vector<Message>& messages);

// How messages become values. Each is what most templates expect; some need the other way.
struct MessageForm {
  bool arguments_as_text = false;      // tool-call arguments: JSON text rather than a dict
  bool empty_instead_of_none = false;  // no content: "" rather than None
  bool operator==(const MessageForm&) const = default;
};

// The `messages` variable. Everything but well-known role names is marked as coming from a message:
// those five words are the protocol's own, and templates build control tokens from them.
jinja::Value messages_value(jinja::Heap& heap, const std::vector<Message>& messages, const MessageForm& form);

}  // namespace ondol::chat
