// Where the server's lines go: standard error or a file, one line each, "time=… level=… msg=…". A thread of
// its own writes them: a full disk, a lost reader or one that is behind costs lines, never an answer. Lost
// lines are counted, and told of when lines can be written again. Any thread may call any method.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "app/api/log_text.h"
#include "core/base/result.h"

namespace ondol::api {

inline constexpr size_t kLogQueueLinesMax = 1024;  // waiting to be written; beyond, the oldest are lost
inline constexpr int kLogWaitMs = 500;             // for a reader that is behind, before its line is lost

class ServerLog {
 public:
  // `path` empty: standard error. A file is appended to. kIo: it cannot be opened.
  static Result<std::unique_ptr<ServerLog>> open(LogLevel level, const std::string& path = "");
  // Writes what waits, as far as that is possible.
  ~ServerLog();
  ServerLog(const ServerLog&) = delete;
  ServerLog& operator=(const ServerLog&) = delete;

  bool wants(LogLevel level) const { return level >= level_ && level != LogLevel::kOff; }
  // What follows time and level.
  void write(LogLevel level, const LogPairs& pairs);
  // A message to the admin.
  void say(LogLevel level, std::string_view message);
  // Opens the file by its path again before the next line (it was renamed); if that fails, the old one stays.
  void reopen();
  uint64_t lines_lost() const;

 private:
  struct State;
  ServerLog(LogLevel level, std::unique_ptr<State> state);
  const LogLevel level_;
  const std::unique_ptr<State> state_;
};

}  // namespace ondol::api
