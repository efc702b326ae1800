// What a file that is not GGUF seems to be, for the error message. Private to this room.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ondol::gguf {

// A sentence about bytes that do not begin with GGUF's magic.
std::string describe_not_gguf(std::span<const std::byte> bytes);

}  // namespace ondol::gguf
