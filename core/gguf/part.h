// Parsing of one GGUF file's bytes: of the whole model, or of one part of a split one. Private to this room.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/gguf/reader.h"

namespace ondol::gguf {

struct Part {
  std::vector<std::pair<std::string_view, Value>> values;
  std::vector<Tensor> tensors;
};

// Views and tensor bytes of the result point into `bytes`. Keys are unique, tensor names too. Errors as
// File::open(); `name` is what messages call the file.
Result<Part> parse_part(std::span<const std::byte> bytes, const std::string& name);

// "name" for a message: in quotes, control characters replaced, at most 80 bytes of it.
std::string quoted(std::string_view text);

}  // namespace ondol::gguf
