// Model names as people type them: Hangul that a file system took apart into jamo (NFD, as macOS does) equals
// the composed form. Composition of Hangul only (Unicode 3.12); other scripts are compared as they are. Pure
// functions.
#pragma once

#include <string>
#include <string_view>

namespace ondol::api {

// Valid UTF-8 (what is not becomes U+FFFD) with conjoining jamo composed into syllables.
std::string composed_name(std::string_view bytes);

// The id that a model file's path gives: its name without folder and ".gguf".
std::string name_of_file(std::string_view path);

}  // namespace ondol::api
