// The `messages` array of a chat request. Pure function.
#pragma once

#include <vector>

#include "app/api/field_reader.h"
#include "core/chat/message.h"

namespace ondol::api {

// Faults go to `fields` with the message's place: messages[2].content.
std::vector<chat::Message> read_messages(FieldReader& fields, size_t messages_max);

}  // namespace ondol::api
