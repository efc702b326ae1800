#include "core/chat/encode_chat.h"

namespace ondol::chat {

std::vector<TokenId> encode_chat(const Rendered& rendered, const Tokenizer& tokenizer) {
  std::vector<TokenId> ids = tokenizer.encode(rendered.spans);
  if (!tokenizer.adds_bos() || !tokenizer.bos()) return ids;
  const TokenId bos = *tokenizer.bos();
  size_t printed = 0;
  while (printed < ids.size() && ids[printed] == bos) ++printed;
  if (printed == 0) ids.insert(ids.begin(), bos);
  if (printed > 1) ids.erase(ids.begin() + 1, ids.begin() + static_cast<std::ptrdiff_t>(printed));
  return ids;
}

}  // namespace ondol::chat
