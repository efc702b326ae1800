#include "app/commands/chat.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/interrupt.h"
#include "app/commands/model_options.h"
#include "app/commands/progress_line.h"
#include "app/commands/terminal_text.h"
#include "core/base/clock.h"
#include "core/engine/engine.h"

namespace ondol {
namespace {

using namespace commands;

constexpr int64_t kPollMs = 50;
constexpr const char* kHelp =
    "/reset  forget the conversation\n/exit   end (or Ctrl-D)\n/help   this\nCtrl-C  stop the answer; again: "
    "end\n";

struct Arguments {
  EngineOptions engine;
  ModelOptions model;
  std::string system;
  SamplingOptions sampling;
  std::optional<int64_t> max_tokens;
};

// Waits until the model is loaded. Errors: why it could not be.
Result<void> wait_until_ready(const Engine& engine) {
  ProgressLine progress("loading the model");
  while (true) {
    const EngineInfo info = engine.info();
    if (info.state == EngineState::kReady) return {};
    if (info.state != EngineState::kLoading)
      return about_file({Code::kUnavailable, info.failure, ""}, info.path);
    progress.update(info.load_progress);
    std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
  }
}

class Conversation {
 public:
  Conversation(Engine& engine, const Arguments& arguments, InterruptSignal& interrupt)
      : engine_(engine),
        arguments_(arguments),
        interrupt_(interrupt),
        terminal_(::isatty(STDOUT_FILENO) == 1) {
    reset();
  }

  void reset() {
    messages_.clear();
    if (!arguments_.system.empty()) add("system", arguments_.system);
  }

  // Standard output takes nothing any more, which print() has told.
  bool output_failed() const { return output_failed_; }

  // Answers one turn on standard output. The conversation is as before if that fails.
  Result<void> answer(const std::string& text) {
    add("user", text);
    Request request;
    request.id = "chat-" + std::to_string(messages_.size());
    ChatPrompt prompt;
    prompt.messages = messages_;
    request.prompt = std::move(prompt);
    request.sampling = arguments_.sampling;
    request.max_tokens = arguments_.max_tokens;
    auto answered = stream(std::move(request));
    if (!answered) {
      messages_.pop_back();
      return answered.error();
    }
    add("assistant", *answered);
    return {};
  }

 private:
  void add(const char* role, const std::string& content) {
    chat::Message message;
    message.role = role;
    message.content = content;
    messages_.push_back(std::move(message));
  }

  void show(const std::string& text, bool dim) {
    if (text.empty() || (dim && !terminal_)) return;
    if (!terminal_) {
      write(text);
    } else {
      write(dim ? "\x1b[2m" + terminal_text(text) + "\x1b[0m" : terminal_text(text));
    }
  }

  void write(const std::string& text) {
    if (!output_failed_) output_failed_ = !print(text);
  }

  Result<std::string> stream(Request request) {
    ONDOL_TRY(const std::unique_ptr<TokenStream> stream, engine_.submit(std::move(request)));
    std::string text;
    Result<void> failed;
    InterruptSignal::Held held(interrupt_);  // a first Ctrl-C ends the answer, not the program
    while (!stream->done()) {
      if (held.arrived()) {
        stream->cancel();
        held.release();
      }
      const std::optional<StreamEvent> event = stream->next(kPollMs);
      if (output_failed_) stream->cancel();
      if (!event) continue;
      show(event->reasoning, true);
      show(event->text, false);
      text += event->text;
      if (event->finish == FinishReason::kError) failed = event->error;
    }
    write("\n");
    if (!failed) return failed.error();
    return text;
  }

  Engine& engine_;
  const Arguments& arguments_;
  InterruptSignal& interrupt_;
  const bool terminal_;
  bool output_failed_ = false;
  std::vector<chat::Message> messages_;
};

// Reads turns from standard input until its end. Without a terminal every line is a turn.
int converse(Conversation& conversation) {
  const bool terminal = ::isatty(STDIN_FILENO) == 1;
  int code = kExitOk;
  std::string line;
  while (true) {
    if (terminal) print("> ");
    if (!std::getline(std::cin, line) || line == "/exit") break;
    if (line.empty()) continue;
    if (line == "/help") {
      print(kHelp);
    } else if (line == "/reset") {
      conversation.reset();
    } else if (const Result<void> answered = conversation.answer(line); !answered) {
      report(answered.error());
      if (answered.error().code == Code::kContextLength)
        std::fputs("/reset begins a new conversation.\n", stderr);
      code = terminal ? kExitOk : kExitFailed;
    }
    if (conversation.output_failed()) return kExitFailed;
  }
  if (terminal) print("\n");
  return code;
}

void add_sampling_options(CLI::App& app, SamplingOptions& sampling) {
  app.add_option("--temperature", sampling.temperature, "0: always the most probable token")
      ->check(CLI::Range(0.0, 2.0))
      ->capture_default_str();
  app.add_option("--top-k", sampling.top_k, "among the K most probable; 0: off")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
  app.add_option("--top-p", sampling.top_p, "among those that make this much of the probability")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--min-p", sampling.min_p, "none less probable than this share of the best")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--repeat-penalty", sampling.repeat_penalty, "above 1: against repetition")
      ->check(CLI::Range(0.01, 10.0))
      ->capture_default_str();
  app.add_option("--seed", sampling.seed,
                 "the same seed, the same answers; without it another one each time");
}

}  // namespace

int run_chat(int argc, char** argv) {
  CLI::App app(
      "A conversation on the terminal. Where standard input is no terminal, each of its lines is a turn.");
  Arguments arguments;
  arguments.sampling.temperature = 0.7;
  arguments.sampling.top_p = 0.95;
  arguments.sampling.seed = static_cast<uint64_t>(system_clock().now_ns());
  app.add_option("MODEL", arguments.engine.model_path, "GGUF file")->required();
  app.add_option("--system", arguments.system, "what the model is told before the conversation");
  app.add_option("--max-tokens", arguments.max_tokens, "the longest answer")->check(CLI::Range(1, 1 << 30));
  app.add_option("--ctx", arguments.engine.context,
                 "tokens of context; 0: as trained, less if memory is short")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  add_sampling_options(app, arguments.sampling);
  add_model_options(app, arguments.model);
  if (const auto code = parse_command_line(app, argc, argv)) return *code;
  arguments.engine.isa = arguments.model.isa;
  arguments.engine.kv_type = arguments.model.kv_type;
  arguments.engine.threads = arguments.model.threads;
  arguments.engine.prefill_chunk = arguments.model.prefill_chunk;

  InterruptSignal interrupt;
  auto engine = [&] {
    const InterruptSignal::Held held(interrupt);  // the engine's threads never take the signal
    return open_engine(arguments.engine);
  }();
  if (!engine) return report(engine.error());
  if (const Result<void> ready = wait_until_ready(**engine); !ready) return report(ready.error());
  for (const std::string& fallback : (*engine)->info().fallbacks) {
    std::fprintf(stderr, "ondol: note: %s\n", fallback.c_str());
  }
  if (::isatty(STDIN_FILENO) == 1) print(kHelp);
  Conversation conversation(**engine, arguments, interrupt);
  return converse(conversation);
}

}  // namespace ondol
