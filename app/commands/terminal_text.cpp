#include "app/commands/terminal_text.h"

namespace ondol::commands {

std::string terminal_text(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) continue;
    // U+0080 to U+009F, of which U+009B begins control sequences as ESC [ does.
    if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) {
      ++i;
      continue;
    }
    safe.push_back(text[i]);
  }
  return safe;
}

}  // namespace ondol::commands
