// One line on the terminal that says how far a job is; nothing where standard error is no terminal, and
// nothing for what is done within half a second. One thread at a time.
#pragma once

#include <cstdint>
#include <string>

namespace ondol::commands {

class ProgressLine {
 public:
  explicit ProgressLine(std::string what);
  ~ProgressLine();  // the line is wiped
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(double share);  // 0…1
  void rename(std::string what) { what_ = std::move(what); }

 private:
  std::string what_;
  const bool terminal_;
  const int64_t started_ns_;
  int64_t drawn_ns_ = 0;
  bool drawn_ = false;
};

// "[#####---------------]  27 %  what"
std::string progress_text(const std::string& what, double share);

}  // namespace ondol::commands
