// A model's weights in the form that one kernel table reads.
// Memory: tables that pack get their own copy of everything, the embedding table included (in the file's
// form, since rows are looked up), so the file may be closed, cut or replaced afterwards. Where embeddings
// are tied the table is then held twice: packed for the output head, and in the file's form for look-ups.
// Tables that read in place (reference, twin) keep the file's mapping: `file` stays set, and its bytes must
// not change while they are used.
//
// Threads: immutable after load_weights; any thread may read.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/base/thread_team.h"
#include "core/gguf/reader.h"
#include "core/model/model_spec.h"
#include "kernels/base/kernel_table.h"

namespace ondol::model {

// y = W x + bias, where W's rows may come from several matrices, one below the other (q, k and v).
struct Projection {
  std::vector<kernels::PackedMatrix> parts;
  std::vector<float> bias;  // [rows], or empty
  int64_t rows() const;
  int64_t panels() const;
};

struct LayerWeights {
  // Norm weights: [width], q and k [head_dim]; empty where the spec has no such norm.
  std::vector<float> attention_pre_norm, attention_post_norm, ff_pre_norm, ff_post_norm, q_norm, k_norm;
  Projection qkv;                                       // [q_width + 2 kv_width][width]
  Projection attention_output;                          // [width][q_width]
  Projection gate_up;                                   // [2 ff_width][width]; gate above up
  Projection down;                                      // [width][ff_width]
  Projection router;                                    // [experts][width]
  std::vector<Projection> expert_gate_up, expert_down;  // [experts]
};

struct EmbeddingTable {
  kernels::DType type = kernels::DType::kF32;
  const std::byte* rows = nullptr;  // in the file's form: `storage`, or the mapping
  kernels::AlignedBuffer storage;
};

struct Weights {
  EmbeddingTable embedding;  // [vocabulary][width]
  std::vector<LayerWeights> layers;
  std::vector<float> output_norm;     // [width]
  Projection head;                    // [vocabulary][width]
  std::vector<float> rotary_factors;  // [dim/2]: rope_freqs.weight; empty if there are none
  std::vector<float> rotary_factors_long, rotary_factors_short;

  std::shared_ptr<const gguf::File>
      file;                      // shared with whoever else reads it (the tokenizer); null when not needed
  int64_t bytes_resident = 0;    // own memory, plus mapped bytes that are read in place
  int64_t token_read_bytes = 0;  // of GGUF tensors, see tensors.h
  int64_t parameters = 0;
};

// Bytes of the file converted so far and in all; called by the loading thread, at most once a matrix.
using LoadProgress = std::function<void(int64_t bytes_done, int64_t bytes_total)>;

// Checks every tensor against `spec` and packs them with the team's threads. Errors: those of check_tensors;
// kResourceExhausted (says how much memory was wanted); kCancelled (`stop` became true between two matrices).
Result<Weights> load_weights(std::shared_ptr<const gguf::File> file, const ModelSpec& spec,
                             const kernels::KernelTable& table, ThreadTeam& team,
                             const LoadProgress& progress = {}, const std::atomic<bool>* stop = nullptr);

// Memory that serving a model takes, without loading it.
struct MemoryEstimate {
  int64_t weights_bytes = 0;     // resident weights
  int64_t kv_token_bytes = 0;    // KV memory a token of context takes
  int64_t kv_page_bytes = 0;     // … and a page of 64
  int64_t activation_bytes = 0;  // buffers of one forward pass of `rows` rows
  int64_t kv_bytes(int64_t tokens) const {
    return (tokens + kernels::kPageTokens - 1) / kernels::kPageTokens * kv_page_bytes;
  }
};
struct MemoryOptions {
  const kernels::KernelTable* table = nullptr;
  kernels::KvType kv_type = kernels::KvType::kF16;
  int64_t rows = 512;  // tokens of the largest forward pass
};
// Errors: those of read_model_spec and check_tensors.
Result<MemoryEstimate> estimate_memory(const gguf::File& file, const MemoryOptions& options);

// Bytes of the buffers of one forward pass with `rows` tokens.
int64_t activation_bytes(const ModelSpec& spec, int64_t rows);

}  // namespace ondol::model
