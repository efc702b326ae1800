#include "core/base/result.h"

namespace ondol {

std::string_view code_name(Code code) {
  switch (code) {
    case Code::kInvalidArgument: return "invalid_argument";
    case Code::kNotFound: return "not_found";
    case Code::kContextLength: return "context_length_exceeded";
    case Code::kResourceExhausted: return "resource_exhausted";
    case Code::kUnavailable: return "unavailable";
    case Code::kCancelled: return "cancelled";
    case Code::kUnsupported: return "unsupported";
    case Code::kDataLoss: return "data_loss";
    case Code::kIo: return "io_error";
    case Code::kInternal: return "internal_error";
  }
  return "internal_error";
}

std::string Error::text() const { return where.empty() ? message : where + ": " + message; }

}  // namespace ondol
