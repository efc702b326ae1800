// What the process itself uses: memory, processor time, descriptors, uptime. Reads /proc; any thread.
#pragma once

#include <cstdint>

#include "app/metrics/metrics_text.h"

namespace ondol::metrics {

int64_t resident_bytes();

// `start_unix_s` and `uptime_s` come from the caller, who knows when it started.
void write_process_metrics(MetricsText& out, int64_t start_unix_s, double uptime_s);

}  // namespace ondol::metrics
