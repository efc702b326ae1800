// The program: names its verbs, and calls the one that was asked for.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "app/commands/bench.h"
#include "app/commands/chat.h"
#include "app/commands/command_line.h"
#include "app/commands/doctor.h"
#include "app/commands/eval.h"
#include "app/commands/serve.h"
#include "app/commands/tokenize.h"
#include "app/commands/verbs.h"
#include "app/commands/version.h"
#include "core/base/bus_error.h"

namespace {

using ondol::commands::Verb;

constexpr Verb kVerbs[] = {
    {"serve", "answers over HTTP: the OpenAI API and the page", ondol::run_serve},
    {"bench", "how fast a model runs here, beside what this machine could do", ondol::run_bench},
    {"chat", "a conversation on the terminal", ondol::run_chat},
    {"doctor", "what this machine and these model files are, and what is wrong", ondol::run_doctor},
    {"eval", "log-probabilities and perplexity of a model", ondol::run_eval},
    {"tokenize", "token ids and pieces of a text", ondol::run_tokenize},
    {"version", "what this program is and how it was built", ondol::run_version},
};

int unknown_verb(std::string_view name) {
  const std::string_view nearest = ondol::commands::nearest_verb(kVerbs, name);
  std::fprintf(stderr, "ondol: there is no verb \"%.*s\"", static_cast<int>(name.size()), name.data());
  if (!nearest.empty())
    std::fprintf(stderr, "; did you mean \"%.*s\"?", static_cast<int>(nearest.size()), nearest.data());
  std::fputs("\n`ondol help` lists the verbs.\n", stderr);
  return 2;
}

const Verb* find(std::string_view name) {
  for (const Verb& verb : kVerbs) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

int help(int argc, char** argv) {
  if (argc < 3) {
    return ondol::commands::print(ondol::commands::overview(kVerbs)) ? 0 : 1;
  }
  const Verb* verb = find(argv[2]);
  if (verb == nullptr) return unknown_verb(argv[2]);
  std::string option = "--help";
  char* arguments[] = {argv[2], option.data(), nullptr};
  return verb->run(2, arguments);
}

// A closed standard stream would give its number to the next file or connection, and messages would go there.
// What takes its place can only be used the wrong way round: using the stream is still an error.
void fill_closed_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  fill_closed_streams();
  ondol::report_bus_errors("ondol: a file that was being read lost its end: it was cut, or its disk is gone");
  const std::string_view name = argc < 2 ? "help" : argv[1];
  if (name == "help" || name == "--help" || name == "-h") return help(argc, argv);
  if (name == "--version" || name == "-V") {
    return ondol::commands::print("ondol " + ondol::commands::version_number() + "\n") ? 0 : 1;
  }
  const Verb* verb = find(name);
  return verb == nullptr ? unknown_verb(name) : verb->run(argc - 1, argv + 1);
}
