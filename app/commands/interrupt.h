// Ctrl-C as something that can be asked for, without a handler and without globals: while it is held back,
// the signal waits with the kernel. Threads that are started meanwhile never take it. Main thread.
#pragma once

#include <csignal>

namespace ondol::commands {

class InterruptSignal {
 public:
  InterruptSignal();

  // Holds the signal back while it lives, or until release().
  class Held {
   public:
    explicit Held(InterruptSignal& signal);
    ~Held();
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    // Whether it came since; takes it away.
    bool arrived();
    // From here on the next one ends the program.
    void release();

   private:
    InterruptSignal& signal_;
    sigset_t before_{};
    bool held_ = true;
  };

 private:
  sigset_t set_{};
};

}  // namespace ondol::commands
