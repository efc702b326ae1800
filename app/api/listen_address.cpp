#include "app/api/listen_address.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include <charconv>
#include <optional>

namespace ondol::api {
namespace {

Error invalid(std::string_view text, const std::string& why) {
  return {Code::kInvalidArgument, "cannot listen on '" + std::string(text) + "': " + why, "--listen"};
}

std::optional<int> parse_port(std::string_view text) {
  int port = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 0 || port > 65535)
    return std::nullopt;
  return port;
}

}  // namespace

bool is_ipv4(std::string_view text) {
  in_addr address;
  return inet_pton(AF_INET, std::string(text).c_str(), &address) == 1;
}

bool is_ipv6(std::string_view text) {
  in6_addr address;
  return inet_pton(AF_INET6, std::string(text).c_str(), &address) == 1;
}

std::string ListenAddress::url() const {
  if (kind == ListenKind::kUnix) return "unix:" + host;
  const std::string name = kind == ListenKind::kIpv6 ? "[" + host + "]" : host;
  return "http://" + name + ":" + std::to_string(port);
}

bool ListenAddress::loopback() const {
  if (kind == ListenKind::kUnix) return true;
  if (kind == ListenKind::kIpv4) return host.starts_with("127.");
  in6_addr address;
  return inet_pton(AF_INET6, host.c_str(), &address) == 1 && IN6_IS_ADDR_LOOPBACK(&address);
}

bool ListenAddress::wildcard() const {
  if (kind == ListenKind::kIpv4) return host == "0.0.0.0";
  in6_addr address;
  return kind == ListenKind::kIpv6 && inet_pton(AF_INET6, host.c_str(), &address) == 1 &&
         IN6_IS_ADDR_UNSPECIFIED(&address);
}

Result<std::vector<ListenAddress>> parse_listen(std::string_view text) {
  if (text.starts_with("unix:")) {
    const std::string path(text.substr(5));
    if (path.empty()) return invalid(text, "the path of the socket is missing");
    if (path.size() >= sizeof(sockaddr_un::sun_path))
      return invalid(text, "the path of a socket may have " +
                               std::to_string(sizeof(sockaddr_un::sun_path) - 1) + " bytes at most");
    if (path.find('\0') != std::string::npos) return invalid(text, "the path holds a zero byte");
    return std::vector<ListenAddress>{{ListenKind::kUnix, path, 0, false}};
  }

  std::string_view host = text;
  std::string_view port_text;
  bool has_port = false;
  if (text.starts_with('[')) {
    const size_t close = text.find(']');
    if (close == std::string_view::npos) return invalid(text, "the closing ']' is missing");
    host = text.substr(1, close - 1);
    if (!is_ipv6(host)) return invalid(text, "there is no IPv6 address between the brackets");
    const std::string_view rest = text.substr(close + 1);
    if (!rest.empty() && rest[0] != ':') return invalid(text, "after ']' only ':PORT' may follow");
    has_port = !rest.empty();
    if (has_port) port_text = rest.substr(1);
  } else if (!is_ipv6(text)) {
    const size_t colon = text.rfind(':');
    has_port = colon != std::string_view::npos;
    if (has_port) {
      host = text.substr(0, colon);
      port_text = text.substr(colon + 1);
    }
  }
  int port = kDefaultPort;
  if (has_port) {
    const auto parsed = parse_port(port_text);
    if (!parsed) return invalid(text, "the port must be a number from 0 to 65535");
    port = *parsed;
  }

  if (host == "localhost")
    return std::vector<ListenAddress>{{ListenKind::kIpv4, "127.0.0.1", port, false},
                                      {ListenKind::kIpv6, "::1", port, true}};
  if (is_ipv4(host)) return std::vector<ListenAddress>{{ListenKind::kIpv4, std::string(host), port, false}};
  if (is_ipv6(host)) return std::vector<ListenAddress>{{ListenKind::kIpv6, std::string(host), port, false}};
  if (host.find(':') != std::string_view::npos)
    return invalid(text, "an IPv6 address with a port is written [ADDRESS]:PORT");
  return invalid(text, "names are not looked up; give a numeric address, 'localhost' or unix:/path");
}

}  // namespace ondol::api
