#include "app/api/server_log.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "app/api/listener.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/temporary_folder.h"

namespace ondol::api {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  const std::string text = *read_text(real_file_system(), path, 1 << 20);
  std::vector<std::string> lines;
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    REQUIRE(end != std::string::npos);
    lines.push_back(text.substr(at, end - at));
  }
  return lines;
}

// What follows the time; the time is checked.
std::string after_time(const std::string& line) {
  const std::string form = "time=0000-00-00T00:00:00.000Z ";
  REQUIRE(line.size() > form.size());
  for (size_t i = 0; i < form.size(); ++i)
    CHECK((form[i] == '0' ? line[i] >= '0' && line[i] <= '9' : line[i] == form[i]));
  return line.substr(form.size());
}

}  // namespace

TEST_CASE("server log: a line has time, level and message; lower levels are left out") {
  const TemporaryFolder folder;
  const std::string path = folder.path("log");
  {
    const auto log = ServerLog::open(LogLevel::kInfo, path);
    REQUIRE(log);
    (*log)->say(LogLevel::kDebug, "not this");
    (*log)->say(LogLevel::kInfo, "a {} fallback\nlevel=error");
    (*log)->write(LogLevel::kWarn, LogPairs().number("n", 1));
  }
  const auto lines = lines_of(path);
  REQUIRE(lines.size() == 2);
  CHECK(after_time(lines[0]) == R"(level=info msg="a {} fallback\nlevel=error")");
  CHECK(after_time(lines[1]) == "level=warn n=1");
}

TEST_CASE("server log: off writes nothing") {
  const TemporaryFolder folder;
  { (*ServerLog::open(LogLevel::kOff, folder.path("log")))->say(LogLevel::kError, "x"); }
  CHECK(lines_of(folder.path("log")).empty());
}

TEST_CASE("server log: a file is appended to, and opened again by its name when it was renamed") {
  const TemporaryFolder folder;
  const std::string path = folder.write("log", "before\n");
  {
    const auto log = ServerLog::open(LogLevel::kInfo, path);
    (*log)->say(LogLevel::kInfo, "one");
    while (lines_of(path).size() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    REQUIRE(std::rename(path.c_str(), folder.path("log.1").c_str()) == 0);
    (*log)->reopen();
    (*log)->say(LogLevel::kInfo, "two");
  }
  CHECK(lines_of(folder.path("log.1")).size() == 2);
  REQUIRE(lines_of(path).size() == 1);
  CHECK(after_time(lines_of(path)[0]) == "level=info msg=two");
}

TEST_CASE("server log: a file that cannot be opened is an error at once") {
  const TemporaryFolder folder;
  CHECK(ServerLog::open(LogLevel::kInfo, folder.path("none/log")).error().code == Code::kIo);
  CHECK(ServerLog::open(LogLevel::kInfo, folder.path()).error().code == Code::kIo);
}

TEST_CASE("server log: a full disk loses lines and counts them") {
  const auto log = ServerLog::open(LogLevel::kInfo, "/dev/full");
  REQUIRE(log);
  for (int i = 0; i < 10; ++i) (*log)->say(LogLevel::kInfo, "x");
  while ((*log)->lines_lost() < 10) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK((*log)->lines_lost() == 10);
}

TEST_CASE(
    "server log: a reader that takes nothing holds up neither the writer nor the end; losses are told") {
  const TemporaryFolder folder;
  const std::string path = folder.path("pipe");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  CHECK_FALSE(ServerLog::open(LogLevel::kInfo, path));  // nobody reads it
  Descriptor reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  auto log = std::move(*ServerLog::open(LogLevel::kInfo, path));
  const int64_t begin_ns = system_clock().now_ns();
  for (int i = 0; i < 20'000; ++i) log->say(LogLevel::kInfo, std::string(100, 'x'));
  CHECK(system_clock().now_ns() - begin_ns < 2'000'000'000);
  while (log->lines_lost() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));

  std::string received;
  char buffer[65536];
  while (received.find("lines of this log were lost") == std::string::npos) {
    log->say(LogLevel::kInfo, "again");
    const ssize_t count = ::read(reader.get(), buffer, sizeof(buffer));
    if (count > 0) received.append(buffer, static_cast<size_t>(count));
  }
  for (int i = 0; i < 20'000; ++i) log->say(LogLevel::kInfo, std::string(100, 'x'));
  const int64_t end_ns = system_clock().now_ns();
  log.reset();
  CHECK(system_clock().now_ns() - end_ns < 2'000'000'000);
}

TEST_CASE("server log: a lost reader ends nothing") {
  const TemporaryFolder folder;
  const std::string path = folder.path("pipe");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  Descriptor reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  const auto log = ServerLog::open(LogLevel::kInfo, path);
  REQUIRE(log);
  reader.close();
  (*log)->say(LogLevel::kInfo, "x");
  while ((*log)->lines_lost() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace ondol::api
