// What a model wrote, safe for a terminal. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace ondol::commands {

// `text` (valid UTF-8) without control characters except line end and tab: a model must not move the cursor,
// set the title or write to the clipboard.
std::string terminal_text(std::string_view text);

}  // namespace ondol::commands
