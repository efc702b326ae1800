#include "core/model/weights.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/tensors.h"

namespace ondol::model {
namespace {

using kernels::PackedMatrix;

// Packs one tensor after the other; every tensor was checked before.
class Loader {
 public:
  Loader(const gguf::File& file, const ModelSpec& spec, const kernels::KernelTable& table, ThreadTeam& team,
         const LoadProgress& progress, const std::atomic<bool>* stop, Weights& weights)
      : file_(file),
        spec_(spec),
        table_(table),
        team_(team),
        progress_(progress),
        stop_(stop),
        weights_(weights) {}

  Result<void> load();
  bool reads_in_place() const { return reads_in_place_; }  // at least one matrix

 private:
  const gguf::Tensor& tensor(const std::string& name) const {
    const gguf::Tensor* found = file_.tensor(name);
    CHECK(found != nullptr);
    return *found;
  }

  Result<void> begin_tensor() const {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) {
      return Error{Code::kCancelled, "loading was stopped", file_.path()};
    }
    return {};
  }
  void end_tensor(const gguf::Tensor& tensor) {
    bytes_done_ += static_cast<int64_t>(tensor.bytes.size());
    weights_.parameters += tensor.elements();
    if (progress_) progress_(bytes_done_, bytes_total_);
  }
  // A tensor that is read a second time (tied embeddings) counts once.
  Result<PackedMatrix> pack(const gguf::Tensor& tensor, const std::byte* source, int64_t rows, int64_t cols);
  Result<void> add_part(const std::string& name, Projection& projection);
  Result<void> add_experts(const std::string& name, std::vector<Projection>& experts);
  Result<std::vector<float>> vector(const std::string& name);
  Result<void> add_bias(const std::string& name, Projection& projection);
  Result<void> load_embedding();
  Result<void> load_attention(size_t i, LayerWeights& layer);
  Result<void> load_feed_forward(size_t i, LayerWeights& layer);

  const gguf::File& file_;
  const ModelSpec& spec_;
  const kernels::KernelTable& table_;
  ThreadTeam& team_;
  const LoadProgress& progress_;
  const std::atomic<bool>* stop_;
  Weights& weights_;
  int64_t bytes_done_ = 0;
  int64_t bytes_total_ = 0;
  bool reads_in_place_ = false;
};

Error no_memory(std::string_view name, int64_t bytes) {
  return Error{Code::kResourceExhausted,
               "there is no memory for the tensor: " + std::to_string(bytes >> 20) + " MiB more were wanted",
               std::string(name)};
}

Result<PackedMatrix> Loader::pack(const gguf::Tensor& tensor, const std::byte* source, int64_t rows,
                                  int64_t cols) {
  PackedMatrix matrix = table_.pack_begin(tensor.type, rows, cols, source);
  if (matrix.storage.data() == nullptr && matrix.in_place == nullptr) {
    return no_memory(tensor.name, kernels::dtype_bytes(tensor.type, rows * cols));
  }
  reads_in_place_ = reads_in_place_ || matrix.in_place != nullptr;
  if (matrix.in_place == nullptr) {
    std::atomic<int64_t> next{0};
    const int64_t grain = std::max<int64_t>(1, matrix.panels() / (team_.threads() * int64_t{8}));
    team_.run([&](int, int) {
      for (int64_t begin = next.fetch_add(grain); begin < matrix.panels(); begin = next.fetch_add(grain)) {
        table_.pack_panels(matrix, source, begin, std::min(begin + grain, matrix.panels()));
      }
    });
  }
  weights_.bytes_resident +=
      matrix.in_place == nullptr ? matrix.storage.bytes() : kernels::dtype_bytes(tensor.type, rows * cols);
  return matrix;
}

Result<void> Loader::add_part(const std::string& name, Projection& projection) {
  ONDOL_RETURN_IF_ERROR(begin_tensor());
  const gguf::Tensor& source = tensor(name);
  const int64_t rows = source.shape.size() > 1 ? source.shape[1] : 1;
  ONDOL_TRY(PackedMatrix matrix, pack(source, source.bytes.data(), rows, source.shape[0]));
  projection.parts.push_back(std::move(matrix));
  end_tensor(source);
  return {};
}

Result<void> Loader::add_experts(const std::string& name, std::vector<Projection>& experts) {
  const gguf::Tensor& source = tensor(name);
  const int64_t cols = source.shape[0];
  const int64_t rows = source.shape.size() > 1 ? source.shape[1] : 1;
  const int64_t expert_bytes = kernels::dtype_bytes(source.type, rows * cols);
  experts.resize(static_cast<size_t>(spec_.experts.count));
  for (size_t e = 0; e < experts.size(); ++e) {
    ONDOL_RETURN_IF_ERROR(begin_tensor());
    const std::byte* bytes = source.bytes.data() + static_cast<int64_t>(e) * expert_bytes;
    ONDOL_TRY(PackedMatrix matrix, pack(source, bytes, rows, cols));
    experts[e].parts.push_back(std::move(matrix));
  }
  end_tensor(source);
  return {};
}

Result<std::vector<float>> Loader::vector(const std::string& name) {
  ONDOL_RETURN_IF_ERROR(begin_tensor());
  const gguf::Tensor& source = tensor(name);
  std::vector<float> values(static_cast<size_t>(source.elements()));
  table_.dequantize_row(source.type, source.bytes.data(), source.elements(), 0, values.data());
  weights_.bytes_resident += static_cast<int64_t>(values.size() * sizeof(float));
  end_tensor(source);
  return values;
}

// Biases of the parts follow each other as the parts do.
Result<void> Loader::add_bias(const std::string& name, Projection& projection) {
  ONDOL_TRY(const std::vector<float> values, vector(name));
  projection.bias.insert(projection.bias.end(), values.begin(), values.end());
  return {};
}

Result<void> Loader::load_embedding() {
  const gguf::Tensor& source = tensor("token_embd.weight");
  EmbeddingTable& embedding = weights_.embedding;
  embedding.type = source.type;
  if (!spec_.tied_embeddings) {
    ONDOL_RETURN_IF_ERROR(add_part("output.weight", weights_.head));
  } else {
    ONDOL_TRY(PackedMatrix matrix, pack(source, source.bytes.data(), spec_.vocabulary, spec_.width));
    weights_.head.parts.push_back(std::move(matrix));
  }
  const int64_t bytes = static_cast<int64_t>(source.bytes.size());
  if (weights_.head.parts[0].in_place != nullptr) {
    embedding.rows = source.bytes.data();
    if (!spec_.tied_embeddings) weights_.bytes_resident += bytes;
  } else {
    if (!embedding.storage.allocate(bytes)) return no_memory(source.name, bytes);
    std::memcpy(embedding.storage.data(), source.bytes.data(), source.bytes.size());
    embedding.rows = embedding.storage.data();
    weights_.bytes_resident += bytes;
  }
  end_tensor(source);
  return {};
}

Result<void> Loader::load_attention(size_t i, LayerWeights& layer) {
  const auto name = [i](std::string_view suffix) { return layer_tensor(i, suffix); };
  if (spec_.attention_pre_norm) {
    ONDOL_TRY(layer.attention_pre_norm, vector(name("attn_norm.weight")));
  }
  if (spec_.qkv_fused) {
    ONDOL_RETURN_IF_ERROR(add_part(name("attn_qkv.weight"), layer.qkv));
    if (spec_.qkv_bias) ONDOL_RETURN_IF_ERROR(add_bias(name("attn_qkv.bias"), layer.qkv));
  } else {
    for (const char* part : {"attn_q", "attn_k", "attn_v"}) {
      ONDOL_RETURN_IF_ERROR(add_part(name(std::string(part) + ".weight"), layer.qkv));
      if (spec_.qkv_bias) ONDOL_RETURN_IF_ERROR(add_bias(name(std::string(part) + ".bias"), layer.qkv));
    }
  }
  if (spec_.qk_norm) {
    ONDOL_TRY(layer.q_norm, vector(name("attn_q_norm.weight")));
    ONDOL_TRY(layer.k_norm, vector(name("attn_k_norm.weight")));
  }
  ONDOL_RETURN_IF_ERROR(add_part(name("attn_output.weight"), layer.attention_output));
  if (spec_.attention_output_bias) {
    ONDOL_RETURN_IF_ERROR(add_bias(name("attn_output.bias"), layer.attention_output));
  }
  if (spec_.attention_post_norm) {
    ONDOL_TRY(layer.attention_post_norm, vector(name("post_attention_norm.weight")));
  }
  return {};
}

Result<void> Loader::load_feed_forward(size_t i, LayerWeights& layer) {
  const auto name = [i](std::string_view suffix) { return layer_tensor(i, suffix); };
  if (spec_.ff_pre_norm) {
    ONDOL_TRY(layer.ff_pre_norm, vector(name("ffn_norm.weight")));
  }
  if (spec_.layers[i].experts) {
    ONDOL_RETURN_IF_ERROR(add_part(name("ffn_gate_inp.weight"), layer.router));
    ONDOL_RETURN_IF_ERROR(add_experts(name("ffn_gate_exps.weight"), layer.expert_gate_up));
    ONDOL_RETURN_IF_ERROR(add_experts(name("ffn_up_exps.weight"), layer.expert_gate_up));
    ONDOL_RETURN_IF_ERROR(add_experts(name("ffn_down_exps.weight"), layer.expert_down));
  } else {
    if (!spec_.gate_up_fused) ONDOL_RETURN_IF_ERROR(add_part(name("ffn_gate.weight"), layer.gate_up));
    ONDOL_RETURN_IF_ERROR(add_part(name("ffn_up.weight"), layer.gate_up));
    ONDOL_RETURN_IF_ERROR(add_part(name("ffn_down.weight"), layer.down));
    if (spec_.ff_bias) {
      if (!spec_.gate_up_fused) ONDOL_RETURN_IF_ERROR(add_bias(name("ffn_gate.bias"), layer.gate_up));
      ONDOL_RETURN_IF_ERROR(add_bias(name("ffn_up.bias"), layer.gate_up));
      ONDOL_RETURN_IF_ERROR(add_bias(name("ffn_down.bias"), layer.down));
    }
  }
  if (spec_.ff_post_norm) {
    ONDOL_TRY(layer.ff_post_norm, vector(name("post_ffw_norm.weight")));
  }
  return {};
}

Result<void> Loader::load() {
  for (const TensorNeed& need : tensor_needs(spec_)) {
    bytes_total_ += static_cast<int64_t>(tensor(need.name).bytes.size());
  }
  weights_.token_read_bytes = token_read_bytes(file_, spec_);
  ONDOL_RETURN_IF_ERROR(load_embedding());
  for (const RotarySpec& rotary : spec_.rotaries) {
    if (rotary.scaling == RotaryScaling::kFactors) {
      ONDOL_TRY(weights_.rotary_factors, vector("rope_freqs.weight"));
    } else if (rotary.scaling == RotaryScaling::kLongRope) {
      ONDOL_TRY(weights_.rotary_factors_long, vector("rope_factors_long.weight"));
      ONDOL_TRY(weights_.rotary_factors_short, vector("rope_factors_short.weight"));
    }
  }
  weights_.layers.resize(spec_.layers.size());
  for (size_t i = 0; i < spec_.layers.size(); ++i) {
    ONDOL_RETURN_IF_ERROR(load_attention(i, weights_.layers[i]));
    ONDOL_RETURN_IF_ERROR(load_feed_forward(i, weights_.layers[i]));
  }
  ONDOL_TRY(weights_.output_norm, vector("output_norm.weight"));
  return {};
}

}  // namespace

int64_t Projection::rows() const {
  int64_t total = 0;
  for (const PackedMatrix& part : parts) total += part.rows;
  return total;
}

int64_t Projection::panels() const {
  int64_t total = 0;
  for (const PackedMatrix& part : parts) total += part.panels();
  return total;
}

Result<Weights> load_weights(std::shared_ptr<const gguf::File> file, const ModelSpec& spec,
                             const kernels::KernelTable& table, ThreadTeam& team,
                             const LoadProgress& progress, const std::atomic<bool>* stop) {
  ONDOL_RETURN_IF_ERROR(check_tensors(*file, spec));
  Weights weights;
  Loader loader(*file, spec, table, team, progress, stop, weights);
  ONDOL_RETURN_IF_ERROR(loader.load());
  if (loader.reads_in_place()) weights.file = std::move(file);
  return weights;
}

int64_t activation_bytes(const ModelSpec& spec, int64_t rows) {
  int64_t pairs_width = 0;
  int64_t ff = spec.ff_width;
  if (spec.experts.count > 0) {
    ff = std::max<int64_t>(ff, int64_t{spec.experts.width} * spec.experts.used);
    pairs_width = int64_t{spec.width} * spec.experts.used + spec.experts.count;
  }
  // Floats a row; an ActivationBuffer holds about 1.5 floats an element.
  const int64_t floats = spec.width * int64_t{2} + spec.width * int64_t{3} / 2 + spec.q_width() +
                         2 * int64_t{spec.kv_width()} + spec.q_width() * int64_t{3} / 2 + 2 * ff +
                         ff * 3 / 2 + pairs_width;
  return rows * floats * static_cast<int64_t>(sizeof(float));
}

Result<MemoryEstimate> estimate_memory(const gguf::File& file, const MemoryOptions& options) {
  CHECK(options.table != nullptr);
  ONDOL_TRY(const ModelSpec spec, read_model_spec(file));
  ONDOL_RETURN_IF_ERROR(check_tensors(file, spec));
  MemoryEstimate estimate;
  for (const TensorNeed& need : tensor_needs(spec)) {
    const gguf::Tensor& tensor = *file.tensor(need.name);
    const int64_t bytes = static_cast<int64_t>(tensor.bytes.size());
    if (need.role == TensorRole::kVector) {
      estimate.weights_bytes += tensor.elements() * static_cast<int64_t>(sizeof(float));
      continue;
    }
    if (need.role == TensorRole::kEmbedding && !spec.tied_embeddings) {
      estimate.weights_bytes += bytes;
      continue;
    }
    // Asking the table is exact and touches no memory: storage is filled only by pack_panels.
    const int64_t matrices = need.role == TensorRole::kExperts ? spec.experts.count : 1;
    const PackedMatrix matrix =
        options.table->pack_begin(tensor.type, need.shape[1], need.shape[0], tensor.bytes.data());
    const bool in_place = matrix.storage.data() == nullptr;
    estimate.weights_bytes += in_place ? bytes : matrix.storage.bytes() * matrices;
    if (need.role == TensorRole::kEmbedding && !in_place) estimate.weights_bytes += bytes;
  }
  const kernels::KvGeometry geometry{options.kv_type, spec.kv_heads, spec.head_dim};
  estimate.kv_page_bytes = geometry.layer_bytes() * static_cast<int64_t>(spec.layers.size());
  estimate.kv_token_bytes = estimate.kv_page_bytes / kernels::kPageTokens;
  estimate.activation_bytes = activation_bytes(spec, options.rows);
  return estimate;
}

}  // namespace ondol::model
