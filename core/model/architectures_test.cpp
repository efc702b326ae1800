// Every architecture against logits of Hugging Face's implementation, and proof that every field of its spec
// counts.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/model/forward.h"
#include "core/model/model_spec.h"
#include "core/model/tiny_model.h"
#include "core/model/weights.h"
#include "kernels/cpu/dispatch.h"

namespace ondol::model {
namespace {

using namespace testing;

const std::vector<std::string> kModels{
    "llama",  "llama-bias", "mistral", "mixtral",       "qwen2",   "qwen2-yarn", "qwen3",   "qwen3moe",
    "gemma2", "gemma3",     "phi3",    "phi3-longrope", "smollm3", "exaone",     "exaone4", "exaone4-small"};

struct Difference {
  double largest = 0;     // of the logits
  int argmax_misses = 0;  // positions whose best token is another
};

Difference compare(const std::vector<float>& got, const std::vector<float>& want, int64_t vocabulary) {
  Difference difference;
  REQUIRE(got.size() == want.size());
  for (size_t i = 0; i < got.size(); i += static_cast<size_t>(vocabulary)) {
    for (size_t j = i; j < i + static_cast<size_t>(vocabulary); ++j) {
      const double apart = std::fabs(static_cast<double>(got[j]) - want[j]);
      difference.largest = std::isnan(apart) ? INFINITY : std::max(difference.largest, apart);
    }
    const auto best = [&](const std::vector<float>& x) {
      const auto begin = x.begin() + static_cast<int64_t>(i);
      return std::max_element(begin, begin + vocabulary) - begin;
    };
    if (best(got) != best(want)) ++difference.argmax_misses;
  }
  return difference;
}

// The worst case of a model run by `spec` in float32; an error if the file does not fit the spec.
Result<Difference> run_model(const std::string& name, const ModelSpec& spec) {
  const kernels::KernelTable& table = *kernels::find_table("reference");
  ThreadTeam team(1);
  ONDOL_TRY(const Weights weights, load_weights(open_tiny(name + ".gguf"), spec, table, team));
  Difference worst;
  for (const ExpectedCase& each : expected_cases(name)) {
    const int32_t context = each.context > 0 ? each.context : spec.context_trained;
    SingleSequence sequence(spec, weights, table, team, kernels::KvType::kF32, context);
    const Difference difference = compare(sequence.append(each.tokens), each.logits, spec.vocabulary);
    worst.largest = std::max(worst.largest, difference.largest);
    worst.argmax_misses += difference.argmax_misses;
  }
  return worst;
}

struct Mutation {
  std::string field;
  std::string model;  // one on which the field counts
  std::function<void(ModelSpec&)> change;
};

const std::vector<Mutation>& mutations() {
  using kernels::ActivationKind;
  using kernels::RotaryKind;
  static const std::vector<Mutation> list{
      {"vocabulary", "llama", [](ModelSpec& s) { s.vocabulary -= 1; }},
      {"width", "llama", [](ModelSpec& s) { s.width /= 2; }},
      {"ff_width", "llama", [](ModelSpec& s) { s.ff_width -= 16; }},
      {"heads", "llama", [](ModelSpec& s) { s.heads = 2, s.head_dim = 16, s.kv_heads = 1; }},
      {"kv_heads", "llama", [](ModelSpec& s) { s.kv_heads = 1; }},
      {"head_dim", "llama", [](ModelSpec& s) { s.head_dim = 16; }},
      {"context_trained", "phi3-longrope", [](ModelSpec& s) { s.context_trained = 32; }},
      {"norm_epsilon", "llama", [](ModelSpec& s) { s.norm_epsilon = 1e-2f; }},
      {"attention_pre_norm", "exaone4", [](ModelSpec& s) { s.attention_pre_norm = true; }},
      {"attention_post_norm", "gemma2", [](ModelSpec& s) { s.attention_post_norm = false; }},
      {"ff_pre_norm", "exaone4", [](ModelSpec& s) { s.ff_pre_norm = true; }},
      {"ff_post_norm", "gemma2", [](ModelSpec& s) { s.ff_post_norm = false; }},
      {"qk_norm", "qwen3", [](ModelSpec& s) { s.qk_norm = false; }},
      {"qkv_fused", "phi3", [](ModelSpec& s) { s.qkv_fused = false; }},
      {"gate_up_fused", "phi3", [](ModelSpec& s) { s.gate_up_fused = false; }},
      {"qkv_bias", "qwen2", [](ModelSpec& s) { s.qkv_bias = false; }},
      {"attention_output_bias", "llama-bias", [](ModelSpec& s) { s.attention_output_bias = false; }},
      {"ff_bias", "llama-bias", [](ModelSpec& s) { s.ff_bias = false; }},
      {"tied_embeddings", "llama", [](ModelSpec& s) { s.tied_embeddings = true; }},
      {"embedding_scale", "gemma3", [](ModelSpec& s) { s.embedding_scale = 1; }},
      {"attention_scale", "llama", [](ModelSpec& s) { s.attention_scale *= 1.1f; }},
      {"attention_soft_cap", "gemma2", [](ModelSpec& s) { s.attention_soft_cap = 0; }},
      {"attention_soft_cap value", "gemma2", [](ModelSpec& s) { s.attention_soft_cap *= 2; }},
      {"logit_soft_cap", "gemma2", [](ModelSpec& s) { s.logit_soft_cap = 0; }},
      {"activation", "gemma2", [](ModelSpec& s) { s.activation = ActivationKind::kSilu; }},
      {"activation", "llama", [](ModelSpec& s) { s.activation = ActivationKind::kGeluTanh; }},
      {"experts.count", "qwen3moe", [](ModelSpec& s) { s.experts.count = 5; }},
      {"experts.used", "qwen3moe", [](ModelSpec& s) { s.experts.used = 2; }},
      {"experts.width", "qwen3moe", [](ModelSpec& s) { s.experts.width = 8; }},
      {"experts.normalize", "qwen3moe", [](ModelSpec& s) { s.experts.normalize = false; }},
      {"layers", "llama", [](ModelSpec& s) { s.layers.pop_back(); }},
      {"layer.rotary none", "smollm3", [](ModelSpec& s) { s.layers[3].rotary = 0; }},
      {"layer.rotary some", "smollm3", [](ModelSpec& s) { s.layers[1].rotary = -1; }},
      {"layer.rotary none, hybrid", "exaone4", [](ModelSpec& s) { s.layers[3].rotary = 0; }},
      {"layer.rotary which", "gemma3", [](ModelSpec& s) { s.layers[0].rotary = 0; }},
      {"layer.window none", "gemma2", [](ModelSpec& s) { s.layers[0].window = 0; }},
      {"layer.window some", "gemma3", [](ModelSpec& s) { s.layers[5].window = 20; }},
      {"layer.window off by one", "mistral", [](ModelSpec& s) { s.layers[0].window += 1; }},
      {"layer.window off by one", "phi3", [](ModelSpec& s) { s.layers[1].window -= 1; }},
      {"layer.experts", "mixtral", [](ModelSpec& s) { s.layers[0].experts = false; }},
      {"rotary.kind interleaved", "llama", [](ModelSpec& s) { s.rotaries[0].kind = RotaryKind::kHalves; }},
      {"rotary.kind halves", "qwen3", [](ModelSpec& s) { s.rotaries[0].kind = RotaryKind::kInterleaved; }},
      {"rotary.dim", "qwen3", [](ModelSpec& s) { s.rotaries[0].dim = 6; }},
      {"rotary.base", "llama", [](ModelSpec& s) { s.rotaries[0].base = 20000; }},
      {"rotary.base of the sliding", "gemma3", [](ModelSpec& s) { s.rotaries[1].base = 10000; }},
      {"rotary.scaling factors", "llama", [](ModelSpec& s) { s.rotaries[0].scaling = RotaryScaling::kNone; }},
      {"rotary.scaling linear", "gemma3", [](ModelSpec& s) { s.rotaries[0].scaling = RotaryScaling::kNone; }},
      {"rotary.scaling yarn", "qwen2-yarn",
       [](ModelSpec& s) { s.rotaries[0].scaling = RotaryScaling::kLinear; }},
      {"rotary.factor linear", "gemma3", [](ModelSpec& s) { s.rotaries[0].factor = 4; }},
      {"rotary.factor yarn", "qwen2-yarn", [](ModelSpec& s) { s.rotaries[0].factor = 3; }},
      {"rotary.original_context yarn", "qwen2-yarn",
       [](ModelSpec& s) { s.rotaries[0].original_context = 128; }},
      {"rotary.original_context", "phi3-longrope",
       [](ModelSpec& s) { s.rotaries[0].original_context = 128; }},
      {"rotary.beta_fast", "qwen2-yarn", [](ModelSpec& s) { s.rotaries[0].beta_fast = 0.5; }},
      {"rotary.beta_slow", "qwen2-yarn", [](ModelSpec& s) { s.rotaries[0].beta_slow = 0.01; }},
      {"rotary.magnitude yarn", "qwen2-yarn", [](ModelSpec& s) { s.rotaries[0].magnitude = 1; }},
      {"rotary.magnitude longrope", "phi3-longrope", [](ModelSpec& s) { s.rotaries[0].magnitude = 1; }},
  };
  return list;
}

}  // namespace

TEST_CASE("architectures: each gives the logits of Hugging Face's implementation") {
  for (const std::string& name : kModels) {
    const auto spec = read_model_spec(*open_tiny(name + ".gguf"));
    INFO(name, ": ", spec ? "" : spec.error().text());
    REQUIRE(spec.has_value());
    const auto difference = run_model(name, *spec);
    INFO((difference ? std::string() : difference.error().text()));
    REQUIRE(difference.has_value());
    CHECK(difference->largest <= 1e-4);
    CHECK(difference->argmax_misses == 0);
  }
}

TEST_CASE("architectures: a change of any field of the spec gives other logits, or the file does not fit") {
  for (const Mutation& mutation : mutations()) {
    ModelSpec spec = read_model_spec(*open_tiny(mutation.model + ".gguf")).value();
    mutation.change(spec);
    const auto difference = run_model(mutation.model, spec);
    INFO(mutation.field, " of ", mutation.model);
    CHECK((!difference || difference->largest > 1e-2));
  }
}

}  // namespace ondol::model
