// From a rendered chat to token ids, with the one rule about BOS: if the file asks for a BOS (add_bos),
// the ids start with exactly one, whether the template prints it, prints it twice or not at all; if the
// file does not ask for it, the ids are what the template printed. Any thread.
#pragma once

#include <vector>

#include "core/chat/chat_template.h"
#include "core/tokenizer/tokenizer.h"

namespace ondol::chat {

std::vector<TokenId> encode_chat(const Rendered& rendered, const Tokenizer& tokenizer);

}  // namespace ondol::chat
