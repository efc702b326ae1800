#include "kernels/cpu/dispatch.h"

#include "kernels/cpu/tables.h"
#include "kernels/reference/tables.h"

namespace ondol::kernels {

std::vector<const KernelTable*> available_tables() {
  std::vector<const KernelTable*> tables;
#if defined(__x86_64__)
  if (cpu_features().avx512_vnni) tables.push_back(&kAvx512Table);
  if (cpu_features().avx2) tables.push_back(&kAvx2Table);
#endif
#if defined(ONDOL_EMULATE_AVX512)
  if (cpu_features().avx2) tables.push_back(&kAvx512EmulatedTable);
#endif
  tables.push_back(&kTwinTable);
  tables.push_back(&kReferenceTable);
  return tables;
}

const KernelTable* find_table(std::string_view name) {
  const std::vector<const KernelTable*> tables = available_tables();
  if (name == "auto") return tables.front();
  for (const KernelTable* table : tables) {
    if (table->name == name) return table;
  }
  return nullptr;
}

}  // namespace ondol::kernels
