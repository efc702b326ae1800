// What a model's architecture is, as data: everything that forward() needs to know besides the weights.
// core/model/arch/<name>.cpp makes one from a file's metadata; no other code asks for an architecture's name.
// Values only; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/gguf/reader.h"
#include "kernels/base/kernel_table.h"

namespace ondol::model {

enum class RotaryScaling : uint8_t {
  kNone,
  kLinear,    // every frequency divided by `factor` (Chen et al. 2023)
  kYarn,      // NTK by parts (Peng et al. 2023): low frequencies divided by `factor`, high ones kept
  kFactors,   // frequency i divided by tensor rope_freqs.weight[i] (Llama 3.1)
  kLongRope,  // divided by rope_factors_long.weight[i] where the context is beyond original_context, else by
              // rope_factors_short.weight[i] (Ding et al. 2024)
};

// One way to rotate queries and keys: angle(position, i) = position * base^(-2i/dim), scaled.
struct RotarySpec {
  kernels::RotaryKind kind = kernels::RotaryKind::kHalves;
  int32_t dim = 0;  // the first `dim` elements of a head are rotated
  double base = 10000;
  RotaryScaling scaling = RotaryScaling::kNone;
  double factor = 1;             // linear, yarn
  int32_t original_context = 0;  // yarn, longrope: the context before scaling
  double beta_fast = 32;         // yarn: rotations over original_context above which nothing is scaled
  double beta_slow = 1;          // yarn: … below which everything is
  double magnitude = 1;          // sine and cosine are multiplied by it (yarn, longrope)
};

struct LayerSpec {
  int32_t rotary = 0;    // index into ModelSpec::rotaries; -1: no position information
  int32_t window = 0;    // positions a query sees, itself included; 0: all
  bool experts = false;  // the feed-forward part is a mixture of experts
};

struct ExpertSpec {
  int32_t count = 0;      // 0: a dense model
  int32_t used = 0;       // experts a token goes through
  int32_t width = 0;      // rows of an expert's gate
  bool normalize = true;  // the used experts' weights are divided by their sum
};

struct ModelSpec {
  std::string architecture;  // "llama", as general.architecture says
  int64_t vocabulary = 0;
  int32_t width = 0;     // of the residual stream
  int32_t ff_width = 0;  // rows of the dense feed-forward gate
  int32_t heads = 0;
  int32_t kv_heads = 0;  // divides heads
  int32_t head_dim = 0;
  int32_t context_trained = 0;

  float norm_epsilon = 1e-5f;
  bool attention_pre_norm = true;    // blk.N.attn_norm: before q, k, v
  bool attention_post_norm = false;  // blk.N.post_attention_norm: before the residual is added
  bool ff_pre_norm = true;           // blk.N.ffn_norm
  bool ff_post_norm = false;         // blk.N.post_ffw_norm
  bool qk_norm = false;              // blk.N.attn_{q,k}_norm: RMS over each head, before rotation

  bool qkv_fused = false;      // blk.N.attn_qkv holds q, k and v in this order
  bool gate_up_fused = false;  // blk.N.ffn_up holds the gate, then up
  bool qkv_bias = false;
  bool attention_output_bias = false;
  bool ff_bias = false;          // of gate, up and down
  bool tied_embeddings = false;  // the output head is the embedding table

  float embedding_scale = 1;
  float attention_scale = 0;     // score = attention_scale * q.k
  float attention_soft_cap = 0;  // 0: none
  float logit_soft_cap = 0;      // 0: none
  kernels::ActivationKind activation = kernels::ActivationKind::kSilu;
  ExpertSpec experts;

  std::vector<RotarySpec> rotaries;
  std::vector<LayerSpec> layers;

  int32_t q_width() const { return heads * head_dim; }
  int32_t kv_width() const { return kv_heads * head_dim; }
};

// Reads and checks the metadata of a file. Errors: kUnsupported (an architecture or a feature that this build
// does not know; names it and what is known), kNotFound (a key is missing), kInvalidArgument (a value makes
// no sense). `where` names the key. Tensors are checked later, by load_weights.
Result<ModelSpec> read_model_spec(const gguf::File& file);

// Names of the architectures that read_model_spec knows, sorted.
std::vector<std::string_view> known_architectures();

}  // namespace ondol::model
