#include "app/commands/signals.h"

#include <pthread.h>

#include <cerrno>
#include <ctime>

namespace ondol::commands {

SignalWaiter::SignalWaiter(std::initializer_list<int> signals) {
  sigemptyset(&set_);
  for (const int signal : signals) sigaddset(&set_, signal);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
}

int SignalWaiter::wait(int64_t timeout_ms) const {
  const timespec timeout{timeout_ms / 1000, timeout_ms % 1000 * 1'000'000};
  const int signal = sigtimedwait(&set_, nullptr, &timeout);
  return signal > 0 ? signal : 0;
}

}  // namespace ondol::commands
