// Who may talk to the server from a browser. A page of another site must not reach it: by its own name that
// was made to point here (DNS rebinding: the Host header), or from afar (cross-origin requests: the Origin
// header). Immutable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/api/listen_address.h"

namespace ondol::api {

struct AccessOptions {
  std::vector<std::string> hosts;    // further names that Host may have ("llm.example")
  std::vector<std::string> origins;  // pages of other origins that may call ("https://chat.example")
};

class Access {
 public:
  Access(AccessOptions options, const std::vector<ListenAddress>& addresses);
  // "localhost", an address that is listened on, or a further name. A listener on all addresses accepts every
  // numeric one: no other site's name can be numeric.
  bool host_allowed(std::string_view host_header) const;
  // The same origin as the host it was sent to.
  static bool same_origin(std::string_view origin, std::string_view host_header);
  bool origin_allowed(std::string_view origin) const;

 private:
  AccessOptions options_;
  std::vector<std::string> names_;
  bool any_address_ = false;
};

}  // namespace ondol::api
