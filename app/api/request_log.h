// The request log: what is told of each answered request, and how loudly. Never what was said, no key, no
// header. Pure functions.
#pragma once

#include <string_view>

#include "app/api/http_types.h"
#include "app/api/log_text.h"

namespace ondol::api {

// Health checks and scrapes: debug. 5xx and answers that broke off by an error of ours: error. All else:
// info.
LogLevel request_level(std::string_view route, const ServedRequest& request);
LogPairs request_pairs(std::string_view route, const ServedRequest& request);

}  // namespace ondol::api
