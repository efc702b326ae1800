#include "core/chat/encode_chat.h"

#include <algorithm>

namespace ondol::chat {

std::vector<TokenId> encode_chat(const Rendered& rendered, const Tokenizer& tokenizer) {
  std::vector<TokenId> ids = tokenizer.encode(rendered.spans);
  if (!tokenizer.adds_bos() || !tokenizer.bos()) return ids;
  const TokenId bos = *tokenizer.bos();
  const auto printed_end = std::find_if(ids.begin(), ids.end(), [&](TokenId id) { return id != bos; });
  ids.erase(ids.begin(), printed_end);
  begin_with_bos(tokenizer, ids);
  return ids;
}

}  // namespace ondol::chat
