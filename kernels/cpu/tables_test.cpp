// Every vector table that this machine can run against the scalar twin, bit for bit.
#include "kernels/cpu/tables.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/base/pack.h"
#include "kernels/cpu/dispatch.h"
#include "kernels/reference/random_pages.h"
#include "kernels/reference/random_weights.h"
#include "kernels/reference/tables.h"
#include "tests/skip.h"

using namespace ondol::kernels;

namespace {

std::vector<const KernelTable*> vector_tables() {
  std::vector<const KernelTable*> tables;
  for (const KernelTable* table : available_tables()) {
    if (table->numerics_id == kQuantizedNumerics && table != &kTwinTable) tables.push_back(table);
  }
#if defined(ONDOL_EMULATE_AVX512)
  if (cpu_features().avx2) tables.push_back(&kAvx512EmulatedTable);
#endif
  return tables;
}

// Equal bits; NaN equals NaN.
bool same(const float* a, const float* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::bit_cast<uint32_t>(a[i]) != std::bit_cast<uint32_t>(b[i])) return false;
  }
  return true;
}
bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && same(a.data(), b.data(), static_cast<int64_t>(a.size()));
}

struct Shape {
  DType type;
  int64_t rows, cols, m;
};

Shape random_shape(std::mt19937& random) {
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  Shape s;
  s.type = kWeightTypes[below(std::size(kWeightTypes))];
  const int64_t block = dtype_traits(s.type)->block_elements;
  s.rows = 1 + below(70);
  s.cols = block == 1 ? 1 + below(400) : block * (1 + below(block == 256 ? 8 : 65));
  s.m = 1 + below(below(3) == 0 ? 100 : 20);
  return s;
}

// Every few columns one that stands out of its row, as in real activations: its group is fine.
void outliers(float* x, int64_t n, std::mt19937& random) {
  for (int64_t i = 0; i < n; ++i) {
    if (random() % 150 == 0) x[i] *= 40.0f;
  }
}

void extreme_values(float* x, int64_t n, std::mt19937& random) {
  const float odd[] = {0.0f, -0.0f, 1e30f, -3e38f, 1e-30f, 1e-38f, 1e-44f, 65504.0f, 7e-31f};
  for (int64_t i = 0; i < n; ++i) {
    if (random() % 7 == 0) x[i] = odd[random() % std::size(odd)];
  }
}

}  // namespace

TEST_CASE(
    "vector tables: products equal the twin's, any type, shape, index list, token count and panel range") {
  std::mt19937 random(2024);
  for (const KernelTable* table : vector_tables()) {
    for (int round = 0; round < 150; ++round) {
      Shape s = random_shape(random);
      if (round < 15) s.type = kWeightTypes[round];
      if (s.cols % dtype_traits(s.type)->block_elements != 0)
        s.cols = dtype_traits(s.type)->block_elements * 3;
      const auto bytes = random_weights(s.type, s.rows, s.cols, random() & 0xffff);
      const PackedMatrix expected_w = packed(kTwinTable, s.type, s.rows, s.cols, bytes);
      const PackedMatrix w = packed(*table, s.type, s.rows, s.cols, bytes);
      const int64_t stored = s.m + 3;
      ActivationBuffer x;
      x.resize(stored, s.cols);
      random_values(x.values(), stored * s.cols, random() & 0xffff);
      if (round % 3 == 0) extreme_values(x.values(), stored * s.cols, random);
      if (round % 3 == 1) outliers(x.values(), stored * s.cols, random);
      kTwinTable.quantize(x, 0, stored);
      std::vector<int32_t> index(static_cast<size_t>(s.m));
      for (int32_t& i : index) i = static_cast<int32_t>(random() % static_cast<uint64_t>(stored));
      const int32_t* chosen = round % 2 ? index.data() : nullptr;
      const int64_t begin = static_cast<int64_t>(random() % static_cast<uint64_t>(w.panels()));
      const int64_t end =
          begin + 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(w.panels() - begin));
      const int64_t stride = s.rows + round % 4;
      std::vector<float> expected(static_cast<size_t>(s.m * stride), 5.0f), got(expected);
      kTwinTable.matmul(expected_w, x, chosen, s.m, expected.data(), stride, begin, end);
      table->matmul(w, x, chosen, s.m, got.data(), stride, begin, end);
      CAPTURE(table->name);
      CAPTURE(dtype_traits(s.type)->name);
      CAPTURE(s.rows);
      CAPTURE(s.cols);
      CAPTURE(s.m);
      REQUIRE(same(expected, got));
    }
  }
}

TEST_CASE("vector tables: quants of the lowest and highest value are exact") {
  for (const KernelTable* table : vector_tables()) {
    for (const DType type : kWeightTypes) {
      const int64_t block = dtype_traits(type)->block_elements;
      if (block == 1) continue;
      for (const int fill : {0x00, 0xff, 0x80, 0x7f}) {
        std::vector<std::byte> bytes = random_weights(type, 16, 2 * block, 1);
        const auto [first, second] = half_fields(type);
        for (size_t i = 0; i < bytes.size(); ++i) {
          const auto at = static_cast<int>(i % static_cast<size_t>(dtype_traits(type)->block_bytes));
          const bool scale =
              at == first || at == first + 1 || (second >= 0 && (at == second || at == second + 1));
          if (!scale) bytes[i] = static_cast<std::byte>(fill);
        }
        ActivationBuffer x;
        x.resize(5, 2 * block);
        for (int64_t i = 0; i < 5 * 2 * block; ++i) {
          const float size = block > 32 && i / 64 == 1 ? 1000.0f : 1.0f;  // one fine group of extremes too
          x.values()[i] = i % 5 == 4 ? -size : size;
        }
        kTwinTable.quantize(x, 0, 5);
        const PackedMatrix expected_w = packed(kTwinTable, type, 16, 2 * block, bytes);
        const PackedMatrix w = packed(*table, type, 16, 2 * block, bytes);
        for (const int64_t m : {1, 5}) {
          std::vector<float> expected(static_cast<size_t>(m * 16)), got(expected);
          kTwinTable.matmul(expected_w, x, nullptr, m, expected.data(), 16, 0, 1);
          table->matmul(w, x, nullptr, m, got.data(), 16, 0, 1);
          CAPTURE(dtype_traits(type)->name);
          REQUIRE(same(expected, got));
        }
      }
    }
  }
}

TEST_CASE("every table: a token's products are the same bits alone and among many") {
  for (const KernelTable* table : available_tables()) {
    for (const DType type : kWeightTypes) {
      const int64_t rows = 37, m = 70, cols = dtype_traits(type)->block_elements == 1 ? 130 : 768;
      const auto bytes = random_weights(type, rows, cols, 5);
      const PackedMatrix w = packed(*table, type, rows, cols, bytes);
      ActivationBuffer x;
      x.resize(m, cols);
      random_values(x.values(), m * cols, 6);
      std::mt19937 random(7);
      outliers(x.values(), m * cols, random);
      table->quantize(x, 0, m);
      std::vector<float> all(static_cast<size_t>(m * rows)), some(all);
      table->matmul(w, x, nullptr, m, all.data(), rows, 0, w.panels());
      for (const int32_t step : {1, 2, 3, 7, 16, 33}) {
        std::vector<int32_t> index;
        for (int32_t t = 0; t < m; t += step) {
          index.clear();
          for (int32_t i = t; i < t + step && i < m; ++i) index.push_back(i);
          table->matmul(w, x, index.data(), static_cast<int64_t>(index.size()), some.data() + t * rows, rows,
                        0, w.panels());
        }
        CAPTURE(table->name);
        CAPTURE(dtype_traits(type)->name);
        REQUIRE(same(all, some));
      }
    }
  }
}

TEST_CASE("vector tables: quantization equals the twin's, with tails and extreme values") {
  std::mt19937 random(3);
  for (const KernelTable* table : vector_tables()) {
    for (const int64_t cols : {1, 31, 32, 77, 576}) {
      ActivationBuffer a, b;
      a.resize(20, cols);
      b.resize(20, cols);
      random_values(a.values(), 20 * cols, 8);
      extreme_values(a.values(), 10 * cols, random);
      outliers(a.row(10), 8 * cols, random);
      a.row(19)[cols - 1] = std::numeric_limits<float>::infinity();
      a.row(18)[0] = std::numeric_limits<float>::quiet_NaN();
      std::memcpy(b.values(), a.values(), static_cast<size_t>(20 * cols) * 4);
      kTwinTable.quantize(a, 0, 20);
      table->quantize(b, 0, 20);
      const int64_t groups = a.cols_padded / 32 * 20;
      REQUIRE(std::memcmp(a.quants(), b.quants(), static_cast<size_t>(groups * 32)) == 0);
      REQUIRE(std::memcmp(a.low_quants(), b.low_quants(), static_cast<size_t>(groups * 32)) == 0);
      REQUIRE(std::memcmp(a.shifts(), b.shifts(), static_cast<size_t>(groups * 4)) == 0);
      REQUIRE(std::memcmp(a.sums(), b.sums(), static_cast<size_t>(groups * 8)) == 0);
      REQUIRE(std::memcmp(a.group_sums(), b.group_sums(), static_cast<size_t>(groups * 4)) == 0);
      REQUIRE(same(a.scales(), b.scales(), groups));
      REQUIRE(same(a.scaled_sums(), b.scaled_sums(), groups));
    }
  }
}

TEST_CASE("vector tables: the element-wise operations and sums along a row equal the twin's") {
  std::mt19937 random(9);
  for (const KernelTable* table : vector_tables()) {
    for (const int64_t n : {1, 15, 16, 17, 100, 577}) {
      std::vector<float> x(static_cast<size_t>(n)), w(x);
      random_values(x.data(), n, 1, 20.0f);
      random_values(w.data(), n, 2);
      for (int extreme = 0; extreme < 2; ++extreme) {
        if (extreme) extreme_values(x.data(), n, random);
        const auto both = [&](const auto& run) {
          std::vector<float> a(x), b(x);
          run(kTwinTable, a.data());
          run(*table, b.data());
          CAPTURE(table->name);
          CAPTURE(n);
          REQUIRE(same(a, b));
        };
        both([&](const KernelTable& t, float* y) { t.rms_norm(x.data(), w.data(), 1e-5f, n, y); });
        both([&](const KernelTable& t, float* y) { t.rms_norm(y, nullptr, 1e-6f, n, y); });
        both([&](const KernelTable& t, float* y) { t.gated(y, w.data(), n, ActivationKind::kSilu, y); });
        both([&](const KernelTable& t, float* y) { t.gated(y, w.data(), n, ActivationKind::kGeluTanh, y); });
        both([&](const KernelTable& t, float* y) { t.add(w.data(), n, y); });
        both([&](const KernelTable& t, float* y) { t.add_scaled(w.data(), 0.3f, n, y); });
        both([&](const KernelTable& t, float* y) { t.scale(1.7f, n, y); });
        both([&](const KernelTable& t, float* y) { t.soft_cap(30.0f, n, y); });
        both([&](const KernelTable& t, float* y) { t.softmax(n, y); });
        both([&](const KernelTable& t, float* y) { y[0] = t.log_sum_exp(x.data(), n); });
      }
    }
  }
}

TEST_CASE("vector tables: exp and tanh equal the twin's over their whole range") {
  for (const KernelTable* table : vector_tables()) {
    std::vector<float> a;
    for (uint32_t bits = 0; bits < 0x7f800000u; bits += 4099 * 13) {
      a.push_back(std::bit_cast<float>(bits));
      a.push_back(-std::bit_cast<float>(bits));
    }
    std::vector<float> b(a), ones(a.size(), 1.0f);
    const auto n = static_cast<int64_t>(a.size());
    kTwinTable.soft_cap(1.0f, n, a.data());
    table->soft_cap(1.0f, n, b.data());
    REQUIRE(same(a, b));
    for (size_t i = 0; i < a.size(); ++i) a[i] = b[i] = static_cast<float>(i) * 0.001f - 100.0f;
    kTwinTable.gated(a.data(), ones.data(), n, ActivationKind::kSilu, a.data());
    table->gated(b.data(), ones.data(), n, ActivationKind::kSilu, b.data());
    REQUIRE(same(a, b));
  }
}

TEST_CASE("vector tables: rotation equals the twin's in both kinds, partial too") {
  for (const KernelTable* table : vector_tables()) {
    for (const auto& [dim, rotary] :
         {std::pair{64, 64}, std::pair{80, 32}, std::pair{8, 8}, std::pair{24, 20}}) {
      std::vector<float> angle(static_cast<size_t>(rotary)), x(static_cast<size_t>(dim * 3));
      random_values(angle.data(), rotary, 1);
      random_values(x.data(), dim * 3, 2);
      for (const RotaryKind kind : {RotaryKind::kInterleaved, RotaryKind::kHalves, RotaryKind::kNone}) {
        std::vector<float> a(x), b(x);
        kTwinTable.rotate(a.data(), 3, dim, rotary, angle.data(), angle.data() + rotary / 2, kind);
        table->rotate(b.data(), 3, dim, rotary, angle.data(), angle.data() + rotary / 2, kind);
        REQUIRE(same(a, b));
      }
    }
  }
}

TEST_CASE("vector tables: pages are written and attended as by the twin, whatever the chunks") {
  for (const KernelTable* table : vector_tables()) {
    for (const AttentionCase& c : attention_cases()) {
      const int32_t first = c.window > 0 && c.position - c.window + 1 > 0 ? c.position - c.window + 1 : 0;
      const RandomPages expected_pages(kTwinTable, c.geometry, first, c.position + c.tokens, 31);
      const RandomPages pages(*table, c.geometry, first, c.position + c.tokens, 31);
      REQUIRE(expected_pages.storage() == pages.storage());
      const auto expected = run_attention(kTwinTable, c, expected_pages, c.geometry.kv_heads - 1, 0);
      for (const int32_t chunk : {0, 1, 5}) {
        CAPTURE(table->name);
        CAPTURE(c.geometry.head_dim);
        CAPTURE(chunk);
        REQUIRE(same(expected, run_attention(*table, c, pages, c.geometry.kv_heads - 1, chunk)));
      }
    }
  }
}

TEST_CASE("vector tables: keys and values beyond the range of f16 and bf16 are written as by the twin") {
  std::mt19937 random(4);
  for (const KernelTable* table : vector_tables()) {
    for (const KvType type : {KvType::kF32, KvType::kF16, KvType::kBF16}) {
      const KvGeometry geometry{type, 2, 40};
      std::vector<float> k(80), v(80);
      random_values(k.data(), 80, 1, 1e-5f);
      random_values(v.data(), 80, 2, 70000.0f);
      extreme_values(k.data(), 80, random);
      v[3] = std::numeric_limits<float>::infinity();
      v[4] = -std::numeric_limits<float>::infinity();
      std::vector<std::byte> a(static_cast<size_t>(geometry.layer_bytes())), b(a);
      kTwinTable.kv_write(geometry, a.data(), 5, k.data(), v.data());
      table->kv_write(geometry, b.data(), 5, k.data(), v.data());
      REQUIRE(a == b);
    }
  }
}

TEST_CASE("vector tables: this machine can run at least one") {
  if (vector_tables().empty()) ONDOL_SKIP("no AVX2");
  CHECK_FALSE(vector_tables().empty());
}

TEST_CASE("dispatch: the fastest table comes first, auto is it, unknown names give none") {
  const auto tables = available_tables();
  REQUIRE(tables.size() >= 2);
  CHECK(tables[tables.size() - 2] == &kTwinTable);
  CHECK(tables.back() == &kReferenceTable);
  CHECK(find_table("auto") == tables.front());
  CHECK(find_table("twin") == &kTwinTable);
  CHECK(find_table("sse9") == nullptr);
  if (cpu_features().avx2) CHECK(find_table("avx2") != nullptr);
  if (!cpu_features().avx512_vnni) CHECK(find_table("avx512") == nullptr);
}
