// From messages to text spans, by the Jinja template that the model file carries (or the documented
// default of its family). Text that came from messages is marked, so that it never becomes a control
// token (design: invariant 4). Immutable after load(): render() may be called from any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/chat/message.h"
#include "core/gguf/reader.h"
#include "core/tokenizer/tokenizer.h"

namespace ondol::chat {

struct RenderOptions {
  bool add_generation_prompt = true;
  std::string tools_json;            // JSON array as text; empty: no tools
  std::string extra_variables_json;  // JSON object (`chat_template_kwargs`); empty: none
};

struct Rendered {
  std::vector<TextSpan> spans;   // parse_special true: written by the template; false: came from a message
  std::string text() const;      // joined
  bool starts_with_bos = false;  // the template itself printed the BOS token's text at the very start
};

class ChatTemplate {
 public:
  // The file's `tokenizer.chat_template`, or its family's default; for requests with tools the file's
  // `tokenizer.chat_template.tool_use`, if it has that. kUnsupported: no template and no default for the
  // family; kInvalidArgument: the template does not parse (message has line and column).
  static Result<std::unique_ptr<ChatTemplate>> load(const gguf::File& file, const Tokenizer& tokenizer,
                                                    const Clock& clock);
  // From text, for tests and overrides.
  static Result<std::unique_ptr<ChatTemplate>> parse(const std::string& source, const std::string& bos_text,
                                                     const std::string& eos_text, const Clock& clock);
  virtual ~ChatTemplate() = default;
  // kInvalidArgument: the template refused the conversation (raise_exception) in plain words, or hit a
  // limit (steps, output bytes, depth); the template for tools does not parse.
  virtual Result<Rendered> render(const std::vector<Message>& messages,
                                  const RenderOptions& options) const = 0;
  virtual const std::string& source(const RenderOptions& options) const = 0;  // that render() uses
  virtual const std::string& origin() const = 0;  // "file", or the name of the default
};

}  // namespace ondol::chat
