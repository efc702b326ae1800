// What this processor can run: cpuid leaves 1 and 7, and xgetbv for what the system saves on a switch.
// Source: Intel and AMD programmer's manuals.
#include "kernels/cpu/dispatch.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ondol::kernels {
namespace {

#if defined(__x86_64__)

struct Leaf {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Leaf cpuid(uint32_t leaf, uint32_t subleaf) {
  Leaf r;
  __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

bool bit(uint32_t word, int index) { return ((word >> index) & 1u) != 0; }

uint64_t saved_registers() {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

CpuFeatures detect() {
  CpuFeatures f;
  const Leaf one = cpuid(1, 0);
  if (!bit(one.ecx, 27)) return f;  // OSXSAVE: without it the system saves no wide registers
  const uint64_t saved = saved_registers();
  const bool ymm = (saved & 0x6) == 0x6;
  const bool zmm = (saved & 0xe6) == 0xe6;
  const Leaf seven = cpuid(7, 0);
  const Leaf seven_one = seven.eax >= 1 ? cpuid(7, 1) : Leaf{};
  const bool fma = bit(one.ecx, 12), f16c = bit(one.ecx, 29);
  f.avx2 = ymm && fma && f16c && bit(seven.ebx, 5);
  f.avx_vnni = f.avx2 && bit(seven_one.eax, 4);
  f.avx512 =
      zmm && f.avx2 && bit(seven.ebx, 16) && bit(seven.ebx, 17) && bit(seven.ebx, 30) && bit(seven.ebx, 31);
  f.avx512_vnni = f.avx512 && bit(seven.ecx, 11);
  f.avx512_bf16 = f.avx512 && bit(seven_one.eax, 5);
  return f;
}

struct ModelName {
  char text[49] = {};
  int length = 0;
};

ModelName read_model_name() {
  ModelName name;
  if (cpuid(0x80000000u, 0).eax < 0x80000004u) return name;
  for (uint32_t i = 0; i < 3; ++i) {
    const Leaf part = cpuid(0x80000002u + i, 0);
    const uint32_t words[4] = {part.eax, part.ebx, part.ecx, part.edx};
    for (const uint32_t word : words) {
      for (int b = 0; b < 4; ++b) name.text[name.length++] = static_cast<char>((word >> (8 * b)) & 0xff);
    }
  }
  name.length = 0;
  for (int i = 0; i < 48 && name.text[i] != '\0'; ++i) {
    if (name.text[i] != ' ') name.length = i + 1;
  }
  return name;
}

#else
CpuFeatures detect() { return {}; }
struct ModelName {
  char text[1] = {};
  int length = 0;
};
ModelName read_model_name() { return {}; }
#endif

}  // namespace

CpuFeatures cpu_features() {
  static const CpuFeatures features = detect();
  return features;
}

std::string_view cpu_model_name() {
  static const ModelName name = read_model_name();
  return {name.text, static_cast<size_t>(name.length)};
}

}  // namespace ondol::kernels
