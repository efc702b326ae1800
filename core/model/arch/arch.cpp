#include "core/model/arch/arch.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/model/elementary.h"

namespace ondol::model {
namespace arch {
namespace {

struct Entry {
  std::string_view name;
  Result<ModelSpec> (*read)(const Metadata&);
};

constexpr std::array<Entry, 10> kArchitectures{{
    {"exaone", read_exaone},
    {"exaone4", read_exaone4},
    {"gemma2", read_gemma2},
    {"gemma3", read_gemma3},
    {"llama", read_llama},
    {"phi3", read_phi3},
    {"qwen2", read_qwen2},
    {"qwen3", read_qwen3},
    {"qwen3moe", read_qwen3moe},
    {"smollm3", read_smollm3},
}};

constexpr int64_t kLayersMax = 1024;
constexpr int64_t kWidthMax = 1 << 20;
constexpr int64_t kHeadsMax = 4096;
constexpr int64_t kHeadDimMax = 1024;
constexpr int64_t kContextMax = 1 << 30;
constexpr int64_t kExpertsMax = 4096;

std::string number(double value) {
  std::string text = std::to_string(value);
  while (text.find('.') != std::string::npos && (text.back() == '0' || text.back() == '.')) {
    const bool dot = text.back() == '.';
    text.pop_back();
    if (dot) break;
  }
  return text;
}

Result<RotarySpec> read_rotary(const Metadata& metadata, kernels::RotaryKind kind, int32_t head_dim,
                               int32_t context_trained) {
  RotarySpec rotary;
  rotary.kind = kind;
  ONDOL_TRY(rotary.dim, metadata.integer_or("rope.dimension_count", head_dim, 2, head_dim));
  if (rotary.dim % 2 != 0) return metadata.invalid("rope.dimension_count", "must be even");
  ONDOL_TRY(rotary.base, metadata.real_or("rope.freq_base", 10000, 1.0001, 1e12));

  ONDOL_TRY(const std::string type, metadata.string_or("rope.scaling.type", "none"));
  const double old_linear = 1.0;  // files older than rope.scaling.* say rope.scale_linear
  ONDOL_TRY(const double linear, metadata.real_or("rope.scale_linear", old_linear, 1e-3, 1e6));
  ONDOL_TRY(rotary.factor, metadata.real_or("rope.scaling.factor", linear, 1e-3, 1e6));
  ONDOL_TRY(rotary.original_context,
            metadata.integer_or("rope.scaling.original_context_length", context_trained, 1, kContextMax));
  if (type == "yarn") {
    rotary.scaling = RotaryScaling::kYarn;
    ONDOL_TRY(rotary.beta_fast, metadata.real_or("rope.scaling.yarn_beta_fast", 32, 1e-3, 1e6));
    ONDOL_TRY(rotary.beta_slow, metadata.real_or("rope.scaling.yarn_beta_slow", 1, 1e-3, 1e6));
    const double usual = rotary.factor > 1 ? 0.1 * natural_log(rotary.factor) + 1 : 1.0;
    ONDOL_TRY(const double attention, metadata.real_or("rope.scaling.yarn_attn_factor", 1, 1e-3, 1e3));
    rotary.magnitude = usual * attention;
  } else if (type == "linear" || (type == "none" && rotary.factor != 1)) {
    rotary.scaling = rotary.factor == 1 ? RotaryScaling::kNone : RotaryScaling::kLinear;
  } else if (type == "longrope") {
    rotary.scaling = RotaryScaling::kLongRope;
  } else if (type != "none") {
    return Error{Code::kUnsupported,
                 "rotary scaling \"" + type + "\" is not known; known: linear, longrope, yarn",
                 metadata.key("rope.scaling.type")};
  }
  if (metadata.has_tensor("rope_factors_long.weight")) {
    rotary.scaling = RotaryScaling::kLongRope;
    // Where the file does not say it: sqrt(1 + ln(scale) / ln(original)), as LongRoPE defines it.
    const double scale = static_cast<double>(context_trained) / static_cast<double>(rotary.original_context);
    double usual = 1;
    if (scale > 1 && rotary.original_context > 1) {
      usual = std::sqrt(1 + natural_log(scale) / natural_log(static_cast<double>(rotary.original_context)));
    }
    ONDOL_TRY(rotary.magnitude, metadata.real_or("rope.scaling.attn_factor", usual, 1e-3, 1e3));
  } else if (rotary.scaling == RotaryScaling::kLongRope) {
    return Error{Code::kNotFound,
                 "the file asks for longrope scaling but has no tensor rope_factors_long.weight",
                 metadata.key("rope.scaling.type")};
  }
  if (metadata.has_tensor("rope_freqs.weight")) {
    if (rotary.scaling != RotaryScaling::kNone && rotary.scaling != RotaryScaling::kLinear) {
      return Error{Code::kUnsupported, "rope_freqs.weight together with another rotary scaling",
                   metadata.key("rope.scaling.type")};
    }
    rotary.scaling = RotaryScaling::kFactors;
  }
  return rotary;
}

}  // namespace

Error Metadata::invalid(std::string_view suffix, std::string message) const {
  return Error{Code::kInvalidArgument, std::move(message), key(suffix)};
}

Result<int32_t> Metadata::integer(std::string_view suffix, int64_t low, int64_t high) const {
  const std::string name = key(suffix);
  ONDOL_TRY(const std::vector<int64_t> values, file_.integers(name));
  if (values.empty()) return invalid(suffix, "is an empty list");
  for (const int64_t value : values) {
    if (value != values.front()) {
      return Error{Code::kUnsupported, "differs from layer to layer, which this build cannot run", name};
    }
  }
  if (values.front() < low || values.front() > high) {
    return invalid(suffix, std::to_string(values.front()) + " is outside [" + std::to_string(low) + ", " +
                               std::to_string(high) + "]");
  }
  return static_cast<int32_t>(values.front());
}

Result<int32_t> Metadata::integer_or(std::string_view suffix, int32_t otherwise, int64_t low,
                                     int64_t high) const {
  return has(suffix) ? integer(suffix, low, high) : Result<int32_t>(otherwise);
}

Result<double> Metadata::real_or(std::string_view suffix, double otherwise, double low, double high) const {
  if (!has(suffix)) return otherwise;
  ONDOL_TRY(const double value, file_.real(key(suffix)));
  if (!(value >= low && value <= high)) {
    return invalid(suffix, number(value) + " is outside [" + number(low) + ", " + number(high) + "]");
  }
  return value;
}

Result<std::string> Metadata::string_or(std::string_view suffix, std::string_view otherwise) const {
  if (!has(suffix)) return std::string(otherwise);
  ONDOL_TRY(const std::string_view value, file_.string(key(suffix)));
  return std::string(value);
}

Result<ModelSpec> read_decoder(const Metadata& metadata, kernels::RotaryKind kind) {
  ModelSpec spec;
  spec.architecture = metadata.architecture();
  ONDOL_TRY(const int32_t layers, metadata.integer("block_count", 1, kLayersMax));
  ONDOL_TRY(spec.width, metadata.integer("embedding_length", 1, kWidthMax));
  ONDOL_TRY(spec.heads, metadata.integer("attention.head_count", 1, kHeadsMax));
  ONDOL_TRY(spec.kv_heads, metadata.integer_or("attention.head_count_kv", spec.heads, 1, kHeadsMax));
  ONDOL_TRY(spec.context_trained, metadata.integer("context_length", 1, kContextMax));
  if (spec.heads % spec.kv_heads != 0) {
    return metadata.invalid("attention.head_count_kv", std::to_string(spec.kv_heads) +
                                                           " key-value heads do not divide " +
                                                           std::to_string(spec.heads) + " heads");
  }
  if (!metadata.has("attention.key_length") && spec.width % spec.heads != 0) {
    return metadata.invalid(
        "attention.head_count",
        std::to_string(spec.heads) + " heads do not divide a width of " + std::to_string(spec.width));
  }
  ONDOL_TRY(spec.head_dim,
            metadata.integer_or("attention.key_length", spec.width / spec.heads, 1, kHeadDimMax));
  ONDOL_TRY(const int32_t value_dim,
            metadata.integer_or("attention.value_length", spec.head_dim, 1, kHeadDimMax));
  if (spec.head_dim < 1 || spec.head_dim > kHeadDimMax) {
    return metadata.invalid("attention.head_count",
                            "gives heads of " + std::to_string(spec.head_dim) + " elements");
  }
  if (value_dim != spec.head_dim) {
    return Error{Code::kUnsupported,
                 "values of " + std::to_string(value_dim) + " elements beside keys of " +
                     std::to_string(spec.head_dim),
                 metadata.key("attention.value_length")};
  }
  ONDOL_TRY(const double epsilon, metadata.real_or("attention.layer_norm_rms_epsilon", -1, 0, 1));
  if (epsilon < 0) {
    return Error{Code::kNotFound, "the key is missing", metadata.key("attention.layer_norm_rms_epsilon")};
  }
  spec.norm_epsilon = static_cast<float>(epsilon);
  spec.attention_scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(spec.head_dim)));

  ONDOL_TRY(spec.experts.count, metadata.integer_or("expert_count", 0, 0, kExpertsMax));
  if (spec.experts.count > 0) {
    ONDOL_TRY(spec.experts.used, metadata.integer("expert_used_count", 1, spec.experts.count));
    const bool own_width = metadata.has("expert_feed_forward_length");
    ONDOL_TRY(
        spec.experts.width,
        metadata.integer(own_width ? "expert_feed_forward_length" : "feed_forward_length", 1, kWidthMax));
  } else {
    ONDOL_TRY(spec.ff_width, metadata.integer("feed_forward_length", 1, kWidthMax));
  }

  const gguf::Tensor* embedding = metadata.file().tensor("token_embd.weight");
  if (embedding == nullptr) return Error{Code::kNotFound, "the tensor is missing", "token_embd.weight"};
  spec.vocabulary = embedding->shape.size() > 1 ? embedding->shape[1] : 1;
  spec.tied_embeddings = !metadata.has_tensor("output.weight");

  ONDOL_TRY(const RotarySpec rotary, read_rotary(metadata, kind, spec.head_dim, spec.context_trained));
  spec.rotaries.push_back(rotary);
  LayerSpec layer;
  layer.experts = spec.experts.count > 0;
  spec.layers.assign(static_cast<size_t>(layers), layer);
  return spec;
}

Result<void> read_windows(const Metadata& metadata, int32_t period, ModelSpec& spec) {
  ONDOL_TRY(const int32_t window, metadata.integer_or("attention.sliding_window", 0, 0, kContextMax));
  std::vector<bool> sliding(spec.layers.size(), period == 1);
  for (size_t i = 0; period > 1 && i < sliding.size(); ++i) {
    sliding[i] = (i + 1) % static_cast<size_t>(period) != 0;
  }
  if (const gguf::Value* pattern = metadata.file().find(metadata.key("attention.sliding_window_pattern"))) {
    if (const auto* list = std::get_if<std::vector<bool>>(&pattern->data)) {
      if (list->size() != sliding.size()) {
        return metadata.invalid(
            "attention.sliding_window_pattern",
            std::to_string(list->size()) + " entries for " + std::to_string(sliding.size()) + " layers");
      }
      sliding = *list;
    } else {
      ONDOL_TRY(const int32_t every, metadata.integer("attention.sliding_window_pattern", 0, kLayersMax));
      for (size_t i = 0; i < sliding.size(); ++i) {
        sliding[i] = every == 1 || (every > 1 && (i + 1) % static_cast<size_t>(every) != 0);
      }
    }
  }
  for (size_t i = 0; i < sliding.size(); ++i) spec.layers[i].window = sliding[i] ? window : 0;
  return {};
}

}  // namespace arch

std::vector<std::string_view> known_architectures() {
  std::vector<std::string_view> names;
  for (const auto& entry : arch::kArchitectures) names.push_back(entry.name);
  return names;
}

Result<ModelSpec> read_model_spec(const gguf::File& file) {
  ONDOL_TRY(const std::string_view name, file.string("general.architecture"));
  for (const auto& entry : arch::kArchitectures) {
    if (entry.name == name) return entry.read(arch::Metadata(file, name));
  }
  std::string known;
  for (const auto& entry : arch::kArchitectures) {
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  return Error{Code::kUnsupported, "architecture \"" + std::string(name) + "\" is not known; known: " + known,
               "general.architecture"};
}

}  // namespace ondol::model
