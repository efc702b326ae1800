// What `bench` makes of its measurements. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/model_spec.h"

namespace ondol::commands {

struct Spread {
  double median = 0, min = 0, max = 0;
};

// Of an even count the median is the mean of the middle two; of nothing all are 0.
Spread spread_of(std::vector<double> values);

// a / b, and 0 where there is nothing to divide by: a share of a peak that could not be measured.
double share_of(double part, double whole);

// Multiply-adds that the weight matrices cost one token of a prompt: all but the output head, which only the
// last token needs, and of experts those that are used.
int64_t prompt_multiply_adds(const model::ModelSpec& spec);

// "1,8" as numbers, each in [least, most], at least one. kInvalidArgument; `where` is `name`.
Result<std::vector<int32_t>> number_list(const std::string& text, int32_t least, int32_t most,
                                         const std::string& name);

// "1.53 GiB", "12.0 MiB", "640 B"
std::string bytes_text(int64_t bytes);

}  // namespace ondol::commands
