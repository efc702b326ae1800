#include "app/api/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ondol::api {
namespace {

constexpr int kBacklog = 512;
constexpr int kSamePortAttempts = 16;  // "localhost:0" needs one number that is free in both families

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t bytes = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

SocketAddress socket_address(const ListenAddress& address) {
  SocketAddress out;
  if (address.kind == ListenKind::kUnix) {
    auto& un = reinterpret_cast<sockaddr_un&>(out.storage);
    un.sun_family = AF_UNIX;
    std::memcpy(un.sun_path, address.host.c_str(), address.host.size() + 1);
    out.bytes = sizeof(sockaddr_un);
  } else if (address.kind == ListenKind::kIpv6) {
    auto& in6 = reinterpret_cast<sockaddr_in6&>(out.storage);
    in6.sin6_family = AF_INET6;
    in6.sin6_port = htons(static_cast<uint16_t>(address.port));
    inet_pton(AF_INET6, address.host.c_str(), &in6.sin6_addr);
    out.bytes = sizeof(sockaddr_in6);
  } else {
    auto& in = reinterpret_cast<sockaddr_in&>(out.storage);
    in.sin_family = AF_INET;
    in.sin_port = htons(static_cast<uint16_t>(address.port));
    inet_pton(AF_INET, address.host.c_str(), &in.sin_addr);
    out.bytes = sizeof(sockaddr_in);
  }
  return out;
}

bool is_socket(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

Error refused(const ListenAddress& address, int error) {
  std::string why;
  if (error == EADDRINUSE && address.kind == ListenKind::kUnix && !is_socket(address.host))
    why = "there is something that is no socket";
  else if (error == EADDRINUSE && address.kind == ListenKind::kUnix)
    why = "another program is listening there";
  else if (error == EADDRINUSE)
    why = "port " + std::to_string(address.port) + " is already in use";
  else if (error == EADDRNOTAVAIL)
    why = "this machine does not have that address";
  else if (error == EAFNOSUPPORT)
    why = "this machine has no " + std::string(address.kind == ListenKind::kIpv6 ? "IPv6" : "IPv4");
  else if (error == EACCES)
    why = "permission denied";
  else
    why = std::strerror(error);
  return {Code::kIo, "cannot listen on " + address.url() + ": " + why, ""};
}

// A socket file that nobody answers at was left by a server that did not end well.
void remove_stale(const ListenAddress& address) {
  if (!is_socket(address.host)) return;
  Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  SocketAddress to = socket_address(address);
  if (probe.valid() && connect(probe.get(), to.get(), to.bytes) != 0 && errno == ECONNREFUSED)
    unlink(address.host.c_str());
}

int bound_port(int fd) {
  SocketAddress own;
  own.bytes = sizeof(own.storage);
  if (getsockname(fd, own.get(), &own.bytes) != 0) return 0;
  if (own.storage.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6&>(own.storage).sin6_port);
  return ntohs(reinterpret_cast<sockaddr_in&>(own.storage).sin_port);
}

// 0 or errno.
int bind_one(const ListenAddress& address, Listener& out) {
  const int family = address.kind == ListenKind::kUnix   ? AF_UNIX
                     : address.kind == ListenKind::kIpv6 ? AF_INET6
                                                         : AF_INET;
  Descriptor fd(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return errno;
  const int on = 1;
  if (family == AF_UNIX) remove_stale(address);
  if (family != AF_UNIX) setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const int v6_only = address.wildcard() ? 0 : 1;
  if (family == AF_INET6) setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, sizeof(v6_only));
  SocketAddress at = socket_address(address);
  if (bind(fd.get(), at.get(), at.bytes) != 0) return errno;
  if (listen(fd.get(), kBacklog) != 0) return errno;
  if (family == AF_UNIX) chmod(address.host.c_str(), 0660);
  out.address = address;
  if (family != AF_UNIX) out.address.port = bound_port(fd.get());
  out.socket = std::move(fd);
  return 0;
}

}  // namespace

void Descriptor::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Listener& Listener::operator=(Listener&& other) noexcept {
  std::swap(socket, other.socket);
  std::swap(address, other.address);
  return *this;
}

Listener::~Listener() {
  if (socket.valid() && address.kind == ListenKind::kUnix) unlink(address.host.c_str());
}

Result<std::vector<Listener>> bind_all(const std::vector<ListenAddress>& addresses) {
  for (int attempt = 0;; ++attempt) {
    std::vector<Listener> listeners;
    int taken = 0;  // the port that a first ":0" got
    for (ListenAddress address : addresses) {
      const bool wanted_any = address.port == 0;
      if (wanted_any && address.optional) address.port = taken;
      Listener listener;
      const int error = bind_one(address, listener);
      if (error == 0) {
        taken = listener.address.port;
        listeners.push_back(std::move(listener));
      } else if (address.optional && (error == EADDRNOTAVAIL || error == EAFNOSUPPORT)) {
        continue;
      } else if (error == EADDRINUSE && wanted_any && attempt < kSamePortAttempts) {
        listeners.clear();
        break;
      } else {
        return refused(address, error);
      }
    }
    if (!listeners.empty()) return listeners;
    if (attempt >= kSamePortAttempts) return Error{Code::kIo, "no free port was found", ""};
  }
}

}  // namespace ondol::api
