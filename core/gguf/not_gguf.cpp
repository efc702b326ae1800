#include "core/gguf/not_gguf.h"

#include <algorithm>
#include <string_view>

namespace ondol::gguf {
namespace {

std::string_view beginning(std::span<const std::byte> bytes) {
  constexpr size_t kLookedAtBytes = 512;
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kLookedAtBytes)};
}

bool all_zero(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '\0'; });
}

}  // namespace

std::string describe_not_gguf(std::span<const std::byte> bytes) {
  std::string_view text = beginning(bytes);
  if (text.empty()) return "the file is empty: an interrupted download or a full disk";
  if (all_zero(text)) return "the file begins with zeros: a download that did not finish";
  if (text.starts_with("FUGG")) return "this is a big-endian GGUF file; only little-endian ones can be read";
  if (text.starts_with("lmgg") || text.starts_with("tjgg") || text.starts_with("algg") ||
      text.starts_with("fmgg"))
    return "this is a GGML file of 2023, before GGUF; convert the model anew";
  if (text.starts_with("version https://git-lfs"))
    return "this is a Git LFS pointer, not the model itself; fetch it with: git lfs pull";
  if (text.starts_with("PK\x03\x04")) return "this is a zip archive or a PyTorch checkpoint, not a GGUF file";
  if (text.starts_with("\x1f\x8b") || text.starts_with("\x28\xb5\x2f\xfd"))
    return "this is a compressed file; unpack it first";
  if (text.size() > 9 && text.substr(8, 2) == "{\"")
    return "this is a safetensors file; convert it to GGUF first";
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.starts_with("<"))
    return "this is a web page or XML, not a model: the download saved an error or log-in page";
  if (text.starts_with("{")) return "this is JSON, not a model: the download may have saved an error message";
  if (std::string_view("GGUF").starts_with(text)) return "the file is cut inside the first four bytes";
  return "this is not a GGUF file: it does not begin with the letters GGUF";
}

}  // namespace ondol::gguf
