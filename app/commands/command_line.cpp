#include "app/commands/command_line.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>

namespace ondol::commands {

std::optional<int> parse_command_line(CLI::App& app, int argc, char** argv) {
  app.name("ondol " + std::string(argv[0]));
  app.get_formatter()->column_width(34);
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    std::ostringstream help;
    if (app.exit(error, help, std::cerr) != 0) return kExitUsage;
    return print(help.str()) ? kExitOk : kExitFailed;
  }
}

int report(const Error& error) {
  std::fprintf(stderr, "ondol: %s\n", error.text().c_str());
  const bool of_the_command_line =
      error.code == Code::kInvalidArgument && (error.where == "isa" || error.where == "kv_type" ||
                                               error.where == "threads" || error.where == "context");
  return of_the_command_line ? kExitUsage : kExitFailed;
}

Error about_file(const Error& error, const std::string& path) {
  return error.text().starts_with(path) ? error : Error{error.code, error.text(), path};
}

bool print(const std::string& text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) std::fprintf(stderr, "ondol: standard output: %s\n", std::strerror(errno));
  return written;
}

}  // namespace ondol::commands
