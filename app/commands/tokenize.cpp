#include "app/commands/tokenize.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "app/commands/command_line.h"
#include "app/commands/json_lines.h"
#include "app/commands/model_options.h"
#include "core/tokenizer/tokenizer.h"

namespace ondol {
namespace {

using namespace commands;
using nlohmann::json;

constexpr size_t kTextBytesMax = size_t{64} << 20;

std::string json_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<std::string> answer(const Tokenizer& tokenizer, const json& request) {
  const auto text = request.find("text");
  if (text == request.end() || !text->is_string())
    return Error{Code::kInvalidArgument, "a text is wanted", "text"};
  const auto special = request.find("parse_special");
  if (special != request.end() && !special->is_boolean()) {
    return Error{Code::kInvalidArgument, "true or false is wanted", "parse_special"};
  }
  const std::string& content = text->get_ref<const std::string&>();
  return json_text({{"ids", tokenizer.encode(content, special != request.end() && special->get<bool>())}});
}

Result<std::string> whole_input() {
  std::string text(std::istreambuf_iterator<char>(std::cin), {});
  if (text.size() <= kTextBytesMax) return text;
  return Error{
      Code::kInvalidArgument,
      "the text has " + std::to_string(text.size()) + " bytes, the most is " + std::to_string(kTextBytesMax),
      ""};
}

// A line a token: its id and its piece, quoted as JSON quotes.
std::string table(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  std::string lines;
  for (const TokenId id : ids)
    lines += std::to_string(id) + "\t" + json_text(tokenizer.piece(id, true)) + "\n";
  return lines;
}

std::string as_json(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  json pieces = json::array();
  for (const TokenId id : ids) pieces.push_back(tokenizer.piece(id, true));
  return json_text({{"ids", ids}, {"pieces", pieces}}) + "\n";
}

}  // namespace

int run_tokenize(int argc, char** argv) {
  CLI::App app(
      "Token ids and pieces of a text, as the model's own tokenizer makes them. Nothing is put in front.");
  std::string model, text;
  bool special = false, lines = false, in_json = false;
  app.add_option("MODEL", model, "GGUF file")->required();
  CLI::Option* given = app.add_option("TEXT", text, "the text; without it, standard input as it is");
  app.add_flag("--special", special, "texts of control tokens become those tokens");
  app.add_flag("--jsonl", lines, R"(answers {"text":…,"parse_special":…} with {"ids":…}, line by line)")
      ->excludes(given);
  app.add_flag("--json", in_json, "ids and pieces as one JSON object");
  if (const auto code = parse_command_line(app, argc, argv)) return *code;

  const auto file = open_file(model);
  if (!file) return report(file.error());
  const auto tokenizer = Tokenizer::load(**file);
  if (!tokenizer) return report(about_file(tokenizer.error(), model));
  const Tokenizer& loaded = **tokenizer;
  if (lines) return answer_json_lines(std::cin, [&](const json& request) { return answer(loaded, request); });

  if (given->count() == 0) {
    Result<std::string> input = whole_input();
    if (!input) return report(input.error());
    text = std::move(*input);
  }
  const std::vector<TokenId> ids = loaded.encode(text, special);
  return print(in_json ? as_json(loaded, ids) : table(loaded, ids)) ? kExitOk : kExitFailed;
}

}  // namespace ondol
