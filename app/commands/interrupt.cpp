#include "app/commands/interrupt.h"

#include <ctime>

namespace ondol::commands {

InterruptSignal::InterruptSignal() {
  sigemptyset(&set_);
  sigaddset(&set_, SIGINT);
}

InterruptSignal::Held::Held(InterruptSignal& signal) : signal_(signal) {
  pthread_sigmask(SIG_BLOCK, &signal_.set_, &before_);
}

InterruptSignal::Held::~Held() { release(); }

bool InterruptSignal::Held::arrived() {
  const timespec no_wait{};
  return held_ && sigtimedwait(&signal_.set_, nullptr, &no_wait) == SIGINT;
}

void InterruptSignal::Held::release() {
  if (held_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  held_ = false;
}

}  // namespace ondol::commands
