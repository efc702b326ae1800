// One template rendered in one line, for the tests of this folder.
#pragma once

#include <string>

#include "core/chat/jinja/interpreter.h"
#include "core/chat/jinja/json.h"
#include "core/chat/jinja/parser.h"

namespace ondol::chat::jinja {

// `variables`: a JSON object. `from_message`: mark its strings. An error gives "error: " and its text.
inline std::string render_marked(const std::string& source, const std::string& variables, bool from_message,
                                 bool show_marks, const Limits& limits = {}) {
  Result<Block> block = parse_template(source);
  if (!block) return "error: " + block.error().text();
  const ManualClock clock;
  Interpreter interpreter(limits, clock);
  Result<Value> values = read_json(interpreter.heap(), variables, from_message);
  if (!values) return "error: " + values.error().text();
  for (const Dict::Entry& entry : values->entries().entries()) {
    interpreter.set_variable(entry.key.view(), entry.value);
  }
  Result<Text> out = interpreter.run(*block);
  if (!out) return "error: " + out.error().text();
  if (!show_marks) return std::string(out->view());
  // What came from a message stands between « and ».
  std::string marked;
  size_t begin = 0;
  for (const Text::Run& run : out->runs()) {
    const std::string piece(out->view().substr(begin, run.end - begin));
    marked += run.from_message ? "«" + piece + "»" : piece;
    begin = run.end;
  }
  return marked;
}

inline std::string render(const std::string& source, const std::string& variables = "{}",
                          const Limits& limits = {}) {
  return render_marked(source, variables, false, false, limits);
}

inline std::string render_marks(const std::string& source, const std::string& variables) {
  return render_marked(source, variables, true, true);
}

}  // namespace ondol::chat::jinja
