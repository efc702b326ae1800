#include "core/base/bus_error.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "core/base/file.h"
#include "core/base/temporary_folder.h"

namespace ondol {
namespace {

struct Ended {
  int status = 0;
  std::string output;
};

// Runs `work` in a child process whose standard error is caught.
template <class Work>
Ended in_child(Work work) {
  int ends[2];
  REQUIRE_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  REQUIRE_GE(child, 0);
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    work();
    ::_exit(0);
  }
  ::close(ends[1]);
  Ended ended;
  char buffer[256];
  for (ssize_t count; (count = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    ended.output.append(buffer, static_cast<size_t>(count));
  ::close(ends[0]);
  ::waitpid(child, &ended.status, 0);
  return ended;
}

TEST_CASE("X04: touching a mapped file that was cut ends the process with a message and status 1") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", std::string(100'000, 'x'));
  const Ended ended = in_child([&] {
    report_bus_errors("FATAL: a model file was cut while in use");
    const auto file = real_file_system().open(path).value();
    const auto bytes = file->map().value();
    if (::truncate(path.c_str(), 10) != 0) ::_exit(3);
    volatile std::byte last = bytes.back();
    (void)last;
  });
  CHECK(WIFEXITED(ended.status));
  CHECK_EQ(WEXITSTATUS(ended.status), 1);
  CHECK_EQ(ended.output, "FATAL: a model file was cut while in use\n");
}

TEST_CASE("bus errors: one that was sent by another process still ends this one by the signal") {
  const Ended ended = in_child([&] {
    report_bus_errors("not this");
    ::kill(::getpid(), SIGBUS);
    for (int i = 0; i < 100; ++i) ::usleep(10'000);
  });
  CHECK_EQ(ended.output.find("not this"), std::string::npos);
  CHECK_NE(ended.status, 0);
}

}  // namespace
}  // namespace ondol
