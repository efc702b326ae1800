#include "kernels/base/dtype.h"

namespace ondol::kernels {

const DTypeTraits* dtype_traits(DType type) {
  static constexpr DTypeTraits kF32{"F32", 1, 4, true}, kF16{"F16", 1, 2, true}, kBF16{"BF16", 1, 2, true},
      kQ4_0{"Q4_0", 32, 18, true}, kQ4_1{"Q4_1", 32, 20, true}, kQ5_0{"Q5_0", 32, 22, true},
      kQ5_1{"Q5_1", 32, 24, true}, kQ8_0{"Q8_0", 32, 34, true}, kQ2_K{"Q2_K", 256, 84, true},
      kQ3_K{"Q3_K", 256, 110, true}, kQ4_K{"Q4_K", 256, 144, true}, kQ5_K{"Q5_K", 256, 176, true},
      kQ6_K{"Q6_K", 256, 210, true}, kIQ4_NL{"IQ4_NL", 32, 18, true}, kIQ4_XS{"IQ4_XS", 256, 136, true},
      kI8{"I8", 1, 1, false}, kI16{"I16", 1, 2, false}, kI32{"I32", 1, 4, false}, kI64{"I64", 1, 8, false},
      kF64{"F64", 1, 8, false};
  switch (type) {
    case DType::kF32: return &kF32;
    case DType::kF16: return &kF16;
    case DType::kBF16: return &kBF16;
    case DType::kQ4_0: return &kQ4_0;
    case DType::kQ4_1: return &kQ4_1;
    case DType::kQ5_0: return &kQ5_0;
    case DType::kQ5_1: return &kQ5_1;
    case DType::kQ8_0: return &kQ8_0;
    case DType::kQ2_K: return &kQ2_K;
    case DType::kQ3_K: return &kQ3_K;
    case DType::kQ4_K: return &kQ4_K;
    case DType::kQ5_K: return &kQ5_K;
    case DType::kQ6_K: return &kQ6_K;
    case DType::kIQ4_NL: return &kIQ4_NL;
    case DType::kIQ4_XS: return &kIQ4_XS;
    case DType::kI8: return &kI8;
    case DType::kI16: return &kI16;
    case DType::kI32: return &kI32;
    case DType::kI64: return &kI64;
    case DType::kF64: return &kF64;
  }
  return nullptr;
}

int64_t dtype_bytes(DType type, int64_t elements) {
  const DTypeTraits* traits = dtype_traits(type);
  return traits ? elements / traits->block_elements * traits->block_bytes : 0;
}

}  // namespace ondol::kernels
