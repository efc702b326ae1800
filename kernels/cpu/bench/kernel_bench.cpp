// Speed of single matrix products on one thread: GB/s of weights streamed with one token, and GOPS (two per
// multiply-add) with 8 and 512. Usage: kernel_bench [TABLE…]; all tables of this machine without one.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "kernels/base/pack.h"
#include "kernels/cpu/dispatch.h"
#include "kernels/reference/random_weights.h"

using namespace ondol::kernels;

namespace {

// Processor time of this thread: what other programs take of the machine is not counted.
double now_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// The best of some runs of `call`, each of at least 20 ms.
template <class Call>
double seconds_of(const Call& call) {
  int repeats = 1;
  double best = 1e9;
  for (int round = 0; round < 9; ++round) {
    const double begin = now_seconds();
    for (int i = 0; i < repeats; ++i) call(i);
    const double took = now_seconds() - begin;
    best = std::min(best, took / repeats);
    if (took < 0.02) repeats *= 2;
  }
  return best;
}

void bench_product(const KernelTable& table, DType type, int64_t rows, int64_t cols) {
  // Enough copies that one token's weights come from memory, as in a whole model.
  const auto bytes = random_weights(type, rows, cols, 1);
  const int64_t copies = std::max<int64_t>(1, (int64_t{96} << 20) / static_cast<int64_t>(bytes.size()));
  std::vector<PackedMatrix> w;
  for (int64_t i = 0; i < copies; ++i) w.push_back(packed(table, type, rows, cols, bytes));
  const int64_t most = 512;
  ActivationBuffer x;
  x.resize(most, cols);
  random_values(x.values(), most * cols, 2);
  table.quantize(x, 0, most);
  std::vector<float> y(static_cast<size_t>(most * rows));
  const auto product = [&](int64_t m) {
    return seconds_of([&](int i) {
      const PackedMatrix& one = w[static_cast<size_t>(i % copies)];
      table.matmul(one, x, nullptr, m, y.data(), rows, 0, one.panels());
    });
  };
  const double operations = 2.0 * static_cast<double>(rows * cols);
  const double one = product(1);
  std::printf("%-10s %-7s %5ldx%-5ld m=1 %6.2f GB/s %7.1f GOPS", std::string(table.name).c_str(),
              std::string(dtype_traits(type)->name).c_str(), static_cast<long>(rows), static_cast<long>(cols),
              static_cast<double>(bytes.size()) / one * 1e-9, operations / one * 1e-9);
  for (const int64_t m : {4, 8, 512}) {
    std::printf("  m=%ld %7.1f", static_cast<long>(m),
                operations * static_cast<double>(m) / product(m) * 1e-9);
  }
  std::printf("\n");
  std::fflush(stdout);
}

void bench_attention(const KernelTable& table, int32_t depth, int32_t tokens, int32_t heads) {
  const KvGeometry geometry{KvType::kF16, 1, 64};
  const int32_t pages = (depth + tokens + 63) / 64;
  std::vector<float> kv(64, 0.5f);
  std::vector<AlignedBuffer> storage(static_cast<size_t>(pages));
  std::vector<const std::byte*> pointers;
  for (AlignedBuffer& page : storage) {
    page.allocate(geometry.layer_bytes());
    for (int32_t slot = 0; slot < 64; ++slot)
      table.kv_write(geometry, page.data(), slot, kv.data(), kv.data());
    pointers.push_back(page.data());
  }
  std::vector<float> query(static_cast<size_t>(tokens * heads * 64), 0.1f), out(query.size());
  AlignedBuffer scratch;
  scratch.allocate(attention_scratch_floats(tokens, heads, 64) * 4);
  AttentionTask task{.query = query.data(),
                     .query_stride = heads * 64,
                     .out = out.data(),
                     .out_stride = heads * 64,
                     .pages = pointers.data(),
                     .geometry = geometry,
                     .heads = heads,
                     .position = depth,
                     .tokens = tokens,
                     .scale = 0.125f,
                     .scratch = scratch.as<float>()};
  const double took = seconds_of([&](int) { table.attention(task); });
  const double pairs = static_cast<double>(tokens) * heads * (depth + tokens / 2.0);
  std::printf("%-10s attention depth %d tokens %d heads %d: %.1f GFLOPS, %.1f GB/s of pages\n",
              std::string(table.name).c_str(), depth, tokens, heads, pairs * 256 / took * 1e-9,
              static_cast<double>(pages * geometry.layer_bytes()) / took * 1e-9);
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<const KernelTable*> tables;
  for (int i = 1; i < count; ++i) {
    if (const KernelTable* table = find_table(arguments[i])) tables.push_back(table);
  }
  if (count == 1) tables = available_tables();
  for (const KernelTable* table : tables) {
    for (const DType type : {DType::kQ4_1, DType::kQ8_0, DType::kQ5_0, DType::kQ6_K, DType::kQ4_K}) {
      for (const auto& [rows, cols] : {std::pair{1536, 576}, std::pair{896, 4864}, std::pair{1536, 8960}}) {
        if (cols % dtype_traits(type)->block_elements == 0) bench_product(*table, type, rows, cols);
      }
    }
    bench_product(*table, DType::kF16, 896, 896);
    bench_attention(*table, 0, 512, 3);
    bench_attention(*table, 4096, 1, 7);
    bench_attention(*table, 4096, 512, 7);
  }
}
