#include "core/model/tensors.h"

#include <algorithm>
#include <unordered_set>

namespace ondol::model {
namespace {

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

// A trailing dimension of 1 says nothing.
std::vector<int64_t> without_trailing_ones(std::vector<int64_t> shape) {
  while (shape.size() > 1 && shape.back() == 1) shape.pop_back();
  return shape;
}

// Tables of angles that old converters wrote; they follow from the metadata.
bool is_redundant(std::string_view name) {
  return name.ends_with(".attn_rot_embd") || name.ends_with(".attn_rot_embd.weight") ||
         name.ends_with(".rotary_emb.inv_freq");
}

void add_attention(const ModelSpec& spec, size_t i, std::vector<TensorNeed>& needs) {
  const auto add = [&](std::string_view suffix, TensorRole role, std::vector<int64_t> shape) {
    needs.push_back({layer_tensor(i, suffix), role, std::move(shape)});
  };
  const int64_t width = spec.width, q = spec.q_width(), kv = spec.kv_width();
  if (spec.attention_pre_norm) add("attn_norm.weight", TensorRole::kVector, {width});
  if (spec.qkv_fused) {
    add("attn_qkv.weight", TensorRole::kMatrix, {width, q + 2 * kv});
    if (spec.qkv_bias) add("attn_qkv.bias", TensorRole::kVector, {q + 2 * kv});
  } else {
    add("attn_q.weight", TensorRole::kMatrix, {width, q});
    add("attn_k.weight", TensorRole::kMatrix, {width, kv});
    add("attn_v.weight", TensorRole::kMatrix, {width, kv});
    if (spec.qkv_bias) {
      add("attn_q.bias", TensorRole::kVector, {q});
      add("attn_k.bias", TensorRole::kVector, {kv});
      add("attn_v.bias", TensorRole::kVector, {kv});
    }
  }
  if (spec.qk_norm) {
    add("attn_q_norm.weight", TensorRole::kVector, {spec.head_dim});
    add("attn_k_norm.weight", TensorRole::kVector, {spec.head_dim});
  }
  add("attn_output.weight", TensorRole::kMatrix, {q, width});
  if (spec.attention_output_bias) add("attn_output.bias", TensorRole::kVector, {width});
  if (spec.attention_post_norm) add("post_attention_norm.weight", TensorRole::kVector, {width});
}

void add_feed_forward(const ModelSpec& spec, size_t i, std::vector<TensorNeed>& needs) {
  const auto add = [&](std::string_view suffix, TensorRole role, std::vector<int64_t> shape) {
    needs.push_back({layer_tensor(i, suffix), role, std::move(shape)});
  };
  const int64_t width = spec.width, ff = spec.ff_width;
  if (spec.ff_pre_norm) add("ffn_norm.weight", TensorRole::kVector, {width});
  if (spec.layers[i].experts) {
    const int64_t count = spec.experts.count, expert = spec.experts.width;
    add("ffn_gate_inp.weight", TensorRole::kMatrix, {width, count});
    add("ffn_gate_exps.weight", TensorRole::kExperts, {width, expert, count});
    add("ffn_up_exps.weight", TensorRole::kExperts, {width, expert, count});
    add("ffn_down_exps.weight", TensorRole::kExperts, {expert, width, count});
  } else {
    if (!spec.gate_up_fused) add("ffn_gate.weight", TensorRole::kMatrix, {width, ff});
    const int64_t up = spec.gate_up_fused ? 2 * ff : ff;
    add("ffn_up.weight", TensorRole::kMatrix, {width, up});
    add("ffn_down.weight", TensorRole::kMatrix, {ff, width});
    if (spec.ff_bias) {
      if (!spec.gate_up_fused) add("ffn_gate.bias", TensorRole::kVector, {ff});
      add("ffn_up.bias", TensorRole::kVector, {up});
      add("ffn_down.bias", TensorRole::kVector, {width});
    }
  }
  if (spec.ff_post_norm) add("post_ffw_norm.weight", TensorRole::kVector, {width});
}

Result<void> check_tensor(const gguf::Tensor* tensor, const TensorNeed& need) {
  if (tensor == nullptr) return Error{Code::kNotFound, "the tensor is missing", need.name};
  if (without_trailing_ones(tensor->shape) != without_trailing_ones(need.shape)) {
    return Error{Code::kInvalidArgument,
                 "the tensor's shape is " + shape_text(tensor->shape) + ", the metadata ask for " +
                     shape_text(need.shape),
                 need.name};
  }
  const kernels::DTypeTraits* traits = kernels::dtype_traits(tensor->type);
  if (traits == nullptr || !traits->is_weight) {
    return Error{Code::kUnsupported,
                 "the tensor's type " +
                     (traits == nullptr ? std::to_string(static_cast<uint32_t>(tensor->type))
                                        : std::string(traits->name)) +
                     " is not one that this build can compute with",
                 need.name};
  }
  return {};
}

Result<void> check_vocabulary(const gguf::File& file, const ModelSpec& spec) {
  const gguf::Value* tokens = file.find("tokenizer.ggml.tokens");
  if (tokens == nullptr) return {};
  ONDOL_TRY(const std::vector<std::string_view> list, file.strings("tokenizer.ggml.tokens"));
  if (static_cast<int64_t>(list.size()) == spec.vocabulary) return {};
  return Error{Code::kInvalidArgument,
               "the embedding table has " + std::to_string(spec.vocabulary) + " rows, the tokenizer " +
                   std::to_string(list.size()) + " tokens",
               "token_embd.weight"};
}

}  // namespace

std::string layer_tensor(size_t layer, std::string_view suffix) {
  return "blk." + std::to_string(layer) + "." + std::string(suffix);
}

std::vector<TensorNeed> tensor_needs(const ModelSpec& spec) {
  std::vector<TensorNeed> needs;
  needs.push_back({"token_embd.weight", TensorRole::kEmbedding, {spec.width, spec.vocabulary}});
  for (const RotarySpec& rotary : spec.rotaries) {
    if (rotary.scaling == RotaryScaling::kFactors) {
      needs.push_back({"rope_freqs.weight", TensorRole::kVector, {rotary.dim / 2}});
    } else if (rotary.scaling == RotaryScaling::kLongRope) {
      needs.push_back({"rope_factors_long.weight", TensorRole::kVector, {rotary.dim / 2}});
      needs.push_back({"rope_factors_short.weight", TensorRole::kVector, {rotary.dim / 2}});
    }
  }
  for (size_t i = 0; i < spec.layers.size(); ++i) {
    add_attention(spec, i, needs);
    add_feed_forward(spec, i, needs);
  }
  needs.push_back({"output_norm.weight", TensorRole::kVector, {spec.width}});
  if (!spec.tied_embeddings)
    needs.push_back({"output.weight", TensorRole::kMatrix, {spec.width, spec.vocabulary}});
  return needs;
}

Result<void> check_tensors(const gguf::File& file, const ModelSpec& spec) {
  ONDOL_RETURN_IF_ERROR(check_vocabulary(file, spec));
  std::unordered_set<std::string> known;
  for (TensorNeed& need : tensor_needs(spec)) {
    ONDOL_RETURN_IF_ERROR(check_tensor(file.tensor(need.name), need));
    known.insert(std::move(need.name));
  }
  const std::string beyond = "blk." + std::to_string(spec.layers.size()) + ".";
  for (const gguf::Tensor& tensor : file.tensors()) {
    if (known.contains(std::string(tensor.name)) || is_redundant(tensor.name)) continue;
    if (tensor.name.starts_with(beyond)) {
      return Error{Code::kInvalidArgument,
                   "the file has more layers than the " + std::to_string(spec.layers.size()) + " that " +
                       spec.architecture + ".block_count states",
                   std::string(tensor.name)};
    }
    return Error{Code::kUnsupported,
                 "architecture \"" + spec.architecture +
                     "\" has no such tensor as far as this build knows; " +
                     "without it the answers would be wrong",
                 std::string(tensor.name)};
  }
  return {};
}

int64_t token_read_bytes(const gguf::File& file, const ModelSpec& spec) {
  int64_t total = 0;
  for (const TensorNeed& need : tensor_needs(spec)) {
    const gguf::Tensor* tensor = file.tensor(need.name);
    if (tensor == nullptr) continue;
    const int64_t bytes = static_cast<int64_t>(tensor->bytes.size());
    if (need.role == TensorRole::kEmbedding && !spec.tied_embeddings) continue;
    total += need.role == TensorRole::kExperts ? bytes / spec.experts.count * spec.experts.used : bytes;
  }
  return total;
}

}  // namespace ondol::model
