// Chooses the kernel table for this machine, once, at start. Thread-safe: tables are constants.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/base/kernel_table.h"

namespace ondol::kernels {

struct CpuFeatures {
  bool avx2 = false;  // AVX2, FMA and F16C, with the OS saving ymm
  bool avx_vnni = false;
  bool avx512 = false;  // F, BW, VL, DQ, with the OS saving zmm
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  bool neon_dotprod = false;
};
CpuFeatures cpu_features();
std::string_view cpu_model_name();

// Tables that run on this machine, the fastest first; always ends with "twin", "reference".
std::vector<const KernelTable*> available_tables();
// "auto" or a table's name; nullptr if there is none of that name or this machine cannot run it.
const KernelTable* find_table(std::string_view name);

}  // namespace ondol::kernels
