#include "app/commands/eval.h"

#include <CLI/CLI.hpp>
#include <string>

#include "app/commands/command_line.h"
#include "app/commands/eval_logits.h"
#include "app/commands/eval_perplexity.h"
#include "app/commands/model_options.h"

namespace ondol {

using namespace commands;

int run_eval(int argc, char** argv) {
  CLI::App app("Measures what a model says.");
  app.require_subcommand(1);
  ModelOptions options;
  std::string model;
  CLI::App* logits = app.add_subcommand("logits", "log-probabilities and greedy continuations of token ids");
  logits->add_option("MODEL", model, "GGUF file")->required();
  bool lines = false;
  logits->add_flag("--jsonl", lines, R"(answers {"ids":…,"top":N} and {"ids":…,"greedy":N}, line by line)")
      ->required();
  add_model_options(*logits, options);

  PerplexityOptions perplexity_options;
  CLI::App* perplexity =
      app.add_subcommand("perplexity", "how well the model predicts a text, in one window");
  perplexity->add_option("MODEL", model, "GGUF file")->required();
  perplexity->add_option("FILE", perplexity_options.text_path, "the text")->required();
  perplexity
      ->add_option("--tokens", perplexity_options.tokens, "use the first N tokens; without it, all that fit")
      ->check(CLI::Range(2, LocalRunner::kContextMax));
  perplexity->add_flag("--json", perplexity_options.json, "the result as one JSON object");
  add_model_options(*perplexity, options);

  if (const auto code = parse_command_line(app, argc, argv)) return *code;
  return logits->parsed() ? eval_logits(model, options) : eval_perplexity(model, options, perplexity_options);
}

}  // namespace ondol
