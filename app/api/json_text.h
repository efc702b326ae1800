// JSON at the edge: parsing that cannot overflow the stack or throw, writing that cannot throw. Pure
// functions. Numbers that JSON does not have (NaN, Infinity, 1e999) and invalid UTF-8 are errors. A repeated
// key: the last one counts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ondol::api {

using Json = nlohmann::ordered_json;

inline constexpr int kJsonDepthMax = 64;
// An object's keys are searched one by one, so reading one of k keys takes k(k+1)/2 comparisons. So many in
// all: 8191 keys in one object.
inline constexpr int64_t kJsonKeyComparisonsMax = int64_t{1} << 25;

// kInvalidArgument with the byte where reading stopped; never quotes the text.
Result<Json> parse_json(std::string_view text);

// The same for one of several texts that share a budget of comparisons, which is lessened.
Result<Json> parse_json(std::string_view text, int64_t& key_comparisons_left);

// Compact; invalid UTF-8 becomes U+FFFD.
std::string to_text(const Json& json);

}  // namespace ondol::api
