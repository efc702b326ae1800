#include "app/api/server_log.h"

#define FMT_HEADER_ONLY  // the formatting library of spdlog is not linked: Debian has no static one
#include <fcntl.h>
#include <poll.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "app/api/listener.h"

namespace ondol::api {
namespace {

constexpr size_t kWriteBytesMax = 4096;  // PIPE_BUF: what a pipe that is ready takes without a wait
constexpr mode_t kFileMode = 0640;

// Non-blocking, so that a pipe without a reader is an error, and not a wait.
Descriptor open_file(const std::string& path) {
  return Descriptor(
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, kFileMode));
}

std::string line_of(LogLevel level, const LogPairs& pairs) {
  return "level=" + std::string(level_name(level)) + " " + pairs.line();
}

// Used by the log's thread alone, but for reopen() and the counter.
class DescriptorSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  DescriptorSink(std::string path, Descriptor file)
      : path_(std::move(path)), file_(std::move(file)), target_(path_.empty() ? STDERR_FILENO : file_.get()) {
    set_formatter(std::make_unique<spdlog::pattern_formatter>("time=%Y-%m-%dT%H:%M:%S.%eZ %v",
                                                              spdlog::pattern_time_type::utc));
  }
  void watch(spdlog::details::thread_pool& queue) { queue_ = &queue; }
  void reopen() { reopen_ = true; }
  uint64_t lines_lost() const { return unwritten_ + queue_->overrun_counter(); }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (reopen_.exchange(false) && !path_.empty()) open_again();
    if (lines_lost() != told_lost_) tell_lost();
    if (!write_line(message)) ++unwritten_;
  }
  void flush_() override {}

  bool write_line(const spdlog::details::log_msg& message) {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    return put({line.data(), line.size()});
  }

  bool say(LogLevel level, const std::string& text) {
    const std::string line = line_of(level, LogPairs().text("msg", text, kLogMessageBytesMax));
    return write_line(spdlog::details::log_msg("", spdlog::level::warn, line));
  }

  void tell_lost() {
    const uint64_t lost = lines_lost();
    if (say(LogLevel::kWarn, std::to_string(lost - told_lost_) + " lines of this log were lost"))
      told_lost_ = lost;
  }

  void open_again() {
    Descriptor again = open_file(path_);
    if (!again.valid()) {
      say(LogLevel::kError, "the log file could not be opened again: " + std::string(std::strerror(errno)));
      return;
    }
    file_ = std::move(again);
    target_ = file_.get();
    torn_ = false;
  }

  // A line that was written in part is ended before the next one.
  bool put(std::string_view line) {
    if (torn_ && put_bytes("\n") == 1) torn_ = false;
    if (torn_) return false;
    const size_t written = put_bytes(line);
    torn_ = written > 0 && written < line.size();
    return written == line.size();
  }

  // The number of bytes that were taken. Whoever let one line wait in vain is not waited for again, until a
  // line gets through.
  size_t put_bytes(std::string_view bytes) {
    size_t sent = 0;
    while (sent < bytes.size()) {
      pollfd entry{target_, POLLOUT, 0};
      const int ready = poll(&entry, 1, wait_ms_);
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0) wait_ms_ = 0;
      if (ready <= 0 || (entry.revents & POLLOUT) == 0) return sent;
      const ssize_t count =
          ::write(target_, bytes.data() + sent, std::min(bytes.size() - sent, kWriteBytesMax));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return sent;
      sent += static_cast<size_t>(count);
    }
    wait_ms_ = kLogWaitMs;
    return sent;
  }

  const std::string path_;
  Descriptor file_;
  int target_;
  spdlog::details::thread_pool* queue_ = nullptr;
  int wait_ms_ = kLogWaitMs;
  bool torn_ = false;
  uint64_t told_lost_ = 0;
  std::atomic<uint64_t> unwritten_{0};
  std::atomic<bool> reopen_{false};
};

// The log's thread takes no signals: SIGPIPE must not end the program.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

struct ServerLog::State {
  std::shared_ptr<DescriptorSink> sink;
  std::shared_ptr<spdlog::async_logger> logger;         // shared: each waiting line holds it
  std::shared_ptr<spdlog::details::thread_pool> queue;  // shared: the logger asks for it weakly; ends first

  State(const std::string& path, Descriptor file)
      : sink(std::make_shared<DescriptorSink>(path, std::move(file))),
        queue(std::make_shared<spdlog::details::thread_pool>(kLogQueueLinesMax, 1, block_signals)) {
    sink->watch(*queue);
    logger = std::make_shared<spdlog::async_logger>("", sink, queue,
                                                    spdlog::async_overflow_policy::overrun_oldest);
    logger->set_error_handler([](const std::string&) {});  // its own writes to standard error
  }
};

ServerLog::ServerLog(LogLevel level, std::unique_ptr<State> state)
    : level_(level), state_(std::move(state)) {}

ServerLog::~ServerLog() = default;

Result<std::unique_ptr<ServerLog>> ServerLog::open(LogLevel level, const std::string& path) {
  Descriptor file;
  if (!path.empty()) {
    file = open_file(path);
    if (!file.valid())
      return Error{Code::kIo, "the log file cannot be opened: " + std::string(std::strerror(errno)), path};
  }
  return std::unique_ptr<ServerLog>(new ServerLog(level, std::make_unique<State>(path, std::move(file))));
}

void ServerLog::write(LogLevel level, const LogPairs& pairs) {
  if (wants(level)) state_->logger->log(spdlog::level::info, spdlog::string_view_t(line_of(level, pairs)));
}

void ServerLog::say(LogLevel level, std::string_view message) {
  write(level, LogPairs().text("msg", message, kLogMessageBytesMax));
}

void ServerLog::reopen() { state_->sink->reopen(); }

uint64_t ServerLog::lines_lost() const { return state_->sink->lines_lost(); }

}  // namespace ondol::api
