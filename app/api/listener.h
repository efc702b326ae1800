// Bound, listening sockets. SO_REUSEADDR is set, so that a restart works at once; SO_REUSEPORT is not, so
// that a second server on the same port fails. One owner; no threads.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/api/listen_address.h"
#include "core/base/result.h"

namespace ondol::api {

// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) close(), fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void close();

 private:
  int fd_ = -1;
};

struct Listener {
  Descriptor socket;
  ListenAddress address;  // with the port that was really taken
  Listener() = default;
  Listener(Listener&&) = default;
  Listener& operator=(Listener&& other) noexcept;
  ~Listener();  // removes a unix socket's file
};

// Binds all of them or none. kIo: in plain words, with the address ("port 8484 on 127.0.0.1 is in use").
Result<std::vector<Listener>> bind_all(const std::vector<ListenAddress>& addresses);

}  // namespace ondol::api
