// What every verb does with its command line and its end: exit codes, --help, errors in one form.
// Called on the main thread.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"

namespace CLI {
class App;
}

namespace ondol::commands {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

// Fills the options of `app` from argv (argv[0] is the verb). Absent: go on. Otherwise the exit code, after
// the help (standard output) or what is wrong (standard error) was printed.
std::optional<int> parse_command_line(CLI::App& app, int argc, char** argv);

// "ondol: where: message" on standard error; kExitUsage where an option of the command line is wrong (`where`
// is its field), else kExitFailed.
int report(const Error& error);

// The error that says, once, which file `error` is about.
Error about_file(const Error& error, const std::string& path);

// Standard output, flushed; false (and a message) when it cannot be written, e.g. on a full disk.
bool print(const std::string& text);

}  // namespace ondol::commands
