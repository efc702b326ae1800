// Element types of tensors as GGUF files number them, and how many bytes they take.
// Numbers and block sizes follow the GGUF format page and ggml's type list.
#pragma once

#include <cstdint>
#include <string_view>

namespace ondol::kernels {

enum class DType : uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ2_K = 10,
  kQ3_K = 11,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
  kIQ4_NL = 20,
  kIQ4_XS = 23,
  kI8 = 24,
  kI16 = 25,
  kI32 = 26,
  kI64 = 27,
  kF64 = 28,
  kBF16 = 30,
};

struct DTypeTraits {
  std::string_view name;   // "Q4_K"
  int64_t block_elements;  // elements a block holds; a row is a whole number of blocks
  int64_t block_bytes;     // bytes a block takes
  bool is_weight;          // the kernels can multiply with it
};

// Traits of a known type; nullptr for a number that this build does not know.
const DTypeTraits* dtype_traits(DType type);

// Bytes of `elements` consecutive elements; `elements` must be a multiple of the block.
int64_t dtype_bytes(DType type, int64_t elements);

}  // namespace ondol::kernels
