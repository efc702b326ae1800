// Which tensors a model of a given spec consists of, and whether a file holds exactly those.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/gguf/reader.h"
#include "core/model/model_spec.h"

namespace ondol::model {

enum class TensorRole : uint8_t {
  kEmbedding,  // rows are looked up; the output head too where embeddings are tied
  kMatrix,     // multiplied with: shape [columns, rows]
  kExperts,    // one matrix an expert: shape [columns, rows, experts]
  kVector,     // norm weights, biases, frequency factors
};

struct TensorNeed {
  std::string name;
  TensorRole role = TensorRole::kMatrix;
  std::vector<int64_t> shape;  // as in the file: row length first
};

// "blk.3.attn_q.weight"
std::string layer_tensor(size_t layer, std::string_view suffix);

// All tensors that `spec` needs, in the order of use.
std::vector<TensorNeed> tensor_needs(const ModelSpec& spec);

// Holds the file against the spec. Errors, `where` being the tensor's name: kNotFound (missing),
// kInvalidArgument (another shape: says both; another vocabulary than the tokenizer's), kUnsupported (a type
// that the kernels cannot multiply with; a tensor that this build would ignore, since the answers would be
// silently wrong).
Result<void> check_tensors(const gguf::File& file, const ModelSpec& spec);

// Bytes of GGUF tensors that one decoded token must read: all but the embedding table, or all where it is the
// output head; of experts the share that is used.
int64_t token_read_bytes(const gguf::File& file, const ModelSpec& spec);

}  // namespace ondol::model
