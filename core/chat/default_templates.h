// Chat templates for files that carry none. A default is chosen by the control tokens in the vocabulary
// (a model cannot have learned a format whose tokens it lacks); see README.md for the table.
#pragma once

#include <functional>
#include <string_view>

namespace ondol::chat {

struct DefaultTemplate {
  std::string_view name;    // "chatml", "llama3"...
  std::string_view source;  // Jinja
};

// `architecture`: general.architecture. `tuned_for_chat`: the file's name or fine-tune says chat or
// instruct. `has_token`: is this text a token? Null if no default fits.
const DefaultTemplate* default_template(std::string_view architecture, bool tuned_for_chat,
                                        const std::function<bool(std::string_view)>& has_token);
// By name, for tests and overrides; null if there is none.
const DefaultTemplate* default_template_named(std::string_view name);

}  // namespace ondol::chat
