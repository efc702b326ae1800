// Memory-mapped files can vanish under the program: when such a file is cut, or its disk goes away, touching
// a lost page raises SIGBUS. The pages cannot be had back, and going on would mean wrong answers; so the
// process ends, in words, and whoever supervises it starts it again.
#pragma once

#include <string_view>

namespace ondol {

// From now on such a fault writes `message` (at most 500 bytes; a line end is added) to standard error and
// ends the process with status 1, at once and without destructors. Other causes of SIGBUS keep their default.
// Call it once, at the start, from the main thread; it holds for all threads.
void report_bus_errors(std::string_view message);

}  // namespace ondol
