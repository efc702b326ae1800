// How much memory this process may still take: what the system says is available, within the limits of the
// cgroups (versions 1 and 2). Sources: proc_meminfo(5), "Control Group v2" (memory.max, memory.current).
#pragma once

#include <cstdint>

#include "core/base/file.h"

namespace ondol {

// Bytes; INT64_MAX where nothing can be read. Memory that holds file contents counts as available.
int64_t available_memory_bytes(FileSystem& files);

}  // namespace ondol
