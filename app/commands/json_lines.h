// Requests and answers as JSON, one a line: the way scripts drive `tokenize` and `eval logits`.
#pragma once

#include <functional>
#include <istream>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/tokenizer/tokenizer.h"

namespace ondol::commands {

inline constexpr size_t kLineBytesMax = size_t{64} << 20;

// One answer to one request, as JSON text without a line end.
using LineHandler = std::function<Result<std::string>(const nlohmann::json& request)>;

// Answers each line of `in` with a line on standard output, flushed; a line that is no JSON object or that
// `handle` refuses is answered with {"error":…}. Returns the exit code: 1 if any line was bad or the output
// cannot be written.
int answer_json_lines(std::istream& in, const LineHandler& handle);

// {"error": message} for one line; bytes that are not UTF-8 become U+FFFD.
std::string error_line(const Error& error);

// The array of token ids at `key`. kInvalidArgument: missing, no array of whole numbers, or beyond 32 bits.
Result<std::vector<TokenId>> token_ids(const nlohmann::json& request, const char* key);

// The whole number at `key`, in [least, most]; `fallback` where it is missing. kInvalidArgument otherwise.
Result<int64_t> whole_number(const nlohmann::json& request, const char* key, int64_t least, int64_t most,
                             int64_t fallback);

}  // namespace ondol::commands
