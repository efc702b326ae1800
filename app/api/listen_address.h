// Where the server listens, as a person writes it: HOST:PORT, [V6]:PORT, a bare address ("::1", "0.0.0.0"),
// "localhost" or "unix:/path". Addresses are numeric; no name service is ever asked ("localhost" is mapped
// here). Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ondol::api {

inline constexpr int kDefaultPort = 8484;

enum class ListenKind { kIpv4, kIpv6, kUnix };

struct ListenAddress {
  ListenKind kind = ListenKind::kIpv4;
  std::string host;       // numeric; of a unix socket: its path
  int port = 0;           // 0: any free one
  bool optional = false;  // a machine without this address family may go without it (the ::1 of "localhost")

  std::string url() const;  // "http://[::1]:8484", "unix:/run/ondol.sock"
  bool loopback() const;    // reachable from this machine only
  bool wildcard() const;    // 0.0.0.0 or ::
};

// kInvalidArgument in plain words. "localhost" gives two addresses, everything else one.
Result<std::vector<ListenAddress>> parse_listen(std::string_view text);

// Numeric address checks, without a name service.
bool is_ipv4(std::string_view text);
bool is_ipv6(std::string_view text);

}  // namespace ondol::api
