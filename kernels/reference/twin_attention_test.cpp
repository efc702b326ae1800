#include <doctest/doctest.h>

#include <cmath>

#include "kernels/reference/random_pages.h"
#include "kernels/reference/tables.h"

using namespace ondol::kernels;

namespace {

// Softmax over all visible keys at once, in double, from what the pages hold.
double naive(const AttentionCase& c, const RandomPages& pages, const std::vector<float>& query,
             int32_t kv_head, int32_t token, int32_t head, int32_t d) {
  const KvGeometry& g = c.geometry;
  const auto read = [&](const std::byte* base, int64_t i) -> double {
    float value;
    uint16_t half;
    if (g.type == KvType::kF32) {
      std::memcpy(&value, base + i * 4, 4);
      return value;
    }
    std::memcpy(&half, base + i * 2, 2);
    return g.type == KvType::kF16 ? f16_to_f32(half) : bf16_to_f32(half);
  };
  const int32_t position = c.position + token;
  double total = 0, sum = 0;
  for (int32_t j = 0; j <= position; ++j) {
    if (c.window > 0 && position - j >= c.window) continue;
    const std::byte* keys = pages.pages()[j / 64] + RandomPages::kOffset;
    double score = 0;
    for (int32_t e = 0; e < g.head_dim; ++e) {
      score += double{query[static_cast<size_t>((token * c.heads + head) * g.head_dim + e)]} *
               read(keys, (int64_t{kv_head} * g.head_dim + e) * 64 + j % 64);
    }
    score /= std::sqrt(double(g.head_dim));
    if (c.soft_cap > 0) score = c.soft_cap * std::tanh(score / c.soft_cap);
    total += std::exp(score);
    sum += std::exp(score) * read(keys + g.k_bytes(), (int64_t{kv_head} * 64 + j % 64) * g.head_dim + d);
  }
  return sum / total;
}

}  // namespace

TEST_CASE("attention: reference and twin are near a softmax in double, over windows, caps and page borders") {
  for (const AttentionCase& c : attention_cases()) {
    const int32_t first = c.window > 0 && c.position - c.window + 1 > 0 ? c.position - c.window + 1 : 0;
    const RandomPages pages(kTwinTable, c.geometry, first, c.position + c.tokens, 17);
    const int32_t kv_head = c.geometry.kv_heads - 1;
    const auto truth = run_attention(kReferenceTable, c, pages, kv_head, 0);
    const auto twin = run_attention(kTwinTable, c, pages, kv_head, 0);
    std::vector<float> query(truth.size());
    random_values(query.data(), static_cast<int64_t>(query.size()), 11);
    for (int32_t t = 0; t < c.tokens; t += 4) {
      for (int32_t h = 0; h < c.heads; ++h) {
        for (int32_t d = 0; d < c.geometry.head_dim; d += 5) {
          const auto at = static_cast<size_t>((t * c.heads + h) * c.geometry.head_dim + d);
          const double expected = naive(c, pages, query, kv_head, t, h, d);
          REQUIRE(std::abs(truth[at] - expected) <= 1e-5);
          REQUIRE(std::abs(twin[at] - expected) <= 1e-5);
        }
      }
    }
  }
}

TEST_CASE("attention: the twin gives the same bits one token at a time, in chunks and all at once") {
  for (const AttentionCase& c : attention_cases()) {
    const RandomPages pages(kTwinTable, c.geometry, 0, c.position + c.tokens, 23);
    const auto whole = run_attention(kTwinTable, c, pages, 0, 0);
    for (const int32_t chunk : {1, 3, 13}) {
      REQUIRE(std::memcmp(run_attention(kTwinTable, c, pages, 0, chunk).data(), whole.data(),
                          whole.size() * 4) == 0);
    }
  }
}

TEST_CASE("attention: the twin's bits do not depend on what slots beyond the last position hold") {
  for (const AttentionCase& c : attention_cases()) {
    const RandomPages written(kTwinTable, c.geometry, 0, c.position + c.tokens, 23);
    const RandomPages longer(kTwinTable, c.geometry, 0, c.position + c.tokens + 50, 23);
    const auto a = run_attention(kTwinTable, c, written, 0, 0);
    const auto b = run_attention(kTwinTable, c, longer, 0, 0);
    REQUIRE(std::memcmp(a.data(), b.data(), a.size() * 4) == 0);
  }
}
