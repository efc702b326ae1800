// The browser page out of the program itself, with the headers that keep it to itself. Immutable; any thread.
#pragma once

#include <optional>

#include "app/api/http_types.h"

namespace ondol::api {

// No reply: there is no such file. "/" is "/index.html".
std::optional<HttpReply> page_reply(const HttpRequest& request);
bool is_page(std::string_view path);

}  // namespace ondol::api
