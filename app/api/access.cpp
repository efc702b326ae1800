#include "app/api/access.h"

#include <algorithm>

namespace ondol::api {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Without port and brackets.
std::string name_of(std::string_view host) {
  if (host.starts_with('[')) {
    const size_t close = host.find(']');
    return lower(host.substr(1, close == std::string_view::npos ? close : close - 1));
  }
  return lower(host.substr(0, host.find(':')));
}

}  // namespace

Access::Access(AccessOptions options, const std::vector<ListenAddress>& addresses)
    : options_(std::move(options)), names_{"localhost", "127.0.0.1", "::1"} {
  for (const ListenAddress& address : addresses) {
    if (address.kind == ListenKind::kUnix) continue;
    names_.push_back(lower(address.host));
    any_address_ = any_address_ || address.wildcard();
  }
  for (const std::string& host : options_.hosts) names_.push_back(lower(host));
}

bool Access::host_allowed(std::string_view host_header) const {
  const std::string name = name_of(host_header);
  if (std::find(names_.begin(), names_.end(), name) != names_.end()) return true;
  return any_address_ && (is_ipv4(name) || is_ipv6(name));
}

bool Access::same_origin(std::string_view origin, std::string_view host_header) {
  const size_t scheme = origin.find("://");
  return scheme != std::string_view::npos && lower(origin.substr(scheme + 3)) == lower(host_header);
}

bool Access::origin_allowed(std::string_view origin) const {
  return std::find(options_.origins.begin(), options_.origins.end(), origin) != options_.origins.end();
}

}  // namespace ondol::api
