// Signals as something to ask for, instead of handlers: block_signals() before any thread starts, then wait.
// The calling thread and those it starts later never see the signals otherwise.
#pragma once

#include <csignal>
#include <cstdint>
#include <initializer_list>

namespace ondol::commands {

class SignalWaiter {
 public:
  explicit SignalWaiter(std::initializer_list<int> signals);
  // The next signal, or 0 when none came in time. timeout_ms 0 only looks.
  int wait(int64_t timeout_ms) const;

 private:
  sigset_t set_;
};

}  // namespace ondol::commands
