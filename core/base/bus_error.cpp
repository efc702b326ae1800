#include "core/base/bus_error.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/base/check.h"

namespace ondol {
namespace {

// A signal handler is given no state, so its line must lie in a global; it is written once, before the
// handler is installed.
std::array<char, 501> fatal_line;
size_t fatal_line_bytes = 0;

void on_bus_error(int signal, siginfo_t* info, void*) {
  if (info->si_code == BUS_ADRERR || info->si_code == BUS_OBJERR) {
    // Nothing can be done about a failing write here.
    [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, fatal_line.data(), fatal_line_bytes);
    ::_exit(1);
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

void report_bus_errors(std::string_view message) {
  const size_t shown = std::min(message.size(), fatal_line.size() - 1);
  std::copy_n(message.begin(), shown, fatal_line.begin());
  fatal_line[shown] = '\n';
  fatal_line_bytes = shown + 1;
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  CHECK(::sigaction(SIGBUS, &action, nullptr) == 0);
}

}  // namespace ondol
