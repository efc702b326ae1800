#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/kv/page_pool.h"
#include "core/kv/sequence_table.h"

namespace ondol::kv {
namespace {

constexpr int32_t kTokens = 4;      // positions a page holds in these tests
constexpr int64_t kPageBytes = 64;  // 16 bytes a position

PagePool make_pool(int64_t pages) { return PagePool::create(kPageBytes, pages).value(); }

// What a forward pass does: reserve, write, state the length. Position p gets `value`.
Result<void> append(PagePool& pool, SequenceTable& table, SequenceId id, const std::vector<int32_t>& values) {
  const int32_t begin = table.length(id);
  const int32_t end = begin + static_cast<int32_t>(values.size());
  ONDOL_RETURN_IF_ERROR(table.reserve(id, end));
  for (int32_t p = begin; p < end; ++p) {
    auto* slots = reinterpret_cast<int32_t*>(pool.data(table.pages(id)[static_cast<size_t>(p / kTokens)]));
    slots[(p % kTokens) * 4] = values[static_cast<size_t>(p - begin)];
  }
  table.set_length(id, end);
  return {};
}

std::vector<int32_t> content(const PagePool& pool, const SequenceTable& table, SequenceId id) {
  std::vector<int32_t> values;
  for (int32_t p = 0; p < table.length(id); ++p) {
    const auto* slots =
        reinterpret_cast<const int32_t*>(pool.data(table.pages(id)[static_cast<size_t>(p / kTokens)]));
    values.push_back(slots[(p % kTokens) * 4]);
  }
  return values;
}

}  // namespace

TEST_CASE("page pool: hands out every page once and takes it back with the last reference") {
  PagePool pool = make_pool(3);
  const PageHandle a = pool.take(), b = pool.take(), c = pool.take();
  CHECK(a != b);
  CHECK(b != c);
  CHECK(pool.take() == kNoPage);
  CHECK(pool.free_pages() == 0);
  pool.add_reference(b);
  pool.drop_reference(b);
  CHECK(pool.free_pages() == 0);
  pool.drop_reference(b);
  CHECK(pool.free_pages() == 1);
  CHECK(pool.take() == b);
}

TEST_CASE("page pool: a large pool takes no memory until pages are written") {
  auto pool = PagePool::create(1 << 20, 1 << 16);  // 64 GiB of address space
  REQUIRE(pool.has_value());
  const PageHandle page = pool->take();
  pool->data(page)[0] = std::byte{1};
  CHECK(pool->free_pages() == (1 << 16) - 1);
}

TEST_CASE("page pool: sizes that make no sense are errors") {
  CHECK(PagePool::create(0, 1).error().code == Code::kInvalidArgument);
  CHECK(PagePool::create(100, 1).error().code == Code::kInvalidArgument);
  CHECK(PagePool::create(64, 0).error().code == Code::kInvalidArgument);
  CHECK(PagePool::create(INT64_MAX / 64 * 64, 1000).error().code == Code::kInvalidArgument);
}

TEST_CASE("sequence table: a fork shares full pages and copies the partial one") {
  PagePool pool = make_pool(8);
  SequenceTable table(pool, kTokens);
  const SequenceId first = table.open();
  REQUIRE(append(pool, table, first, {1, 2, 3, 4, 5, 6}));
  const SequenceId second = table.fork(first, 6).value();
  CHECK(table.pages(first)[0] == table.pages(second)[0]);
  CHECK(table.pages(first)[1] != table.pages(second)[1]);
  CHECK(pool.free_pages() == 5);
  REQUIRE(append(pool, table, second, {7}));
  REQUIRE(append(pool, table, first, {8}));
  CHECK(content(pool, table, first) == std::vector<int32_t>{1, 2, 3, 4, 5, 6, 8});
  CHECK(content(pool, table, second) == std::vector<int32_t>{1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("sequence table: writing into a shared page after a cut copies it first") {
  PagePool pool = make_pool(8);
  SequenceTable table(pool, kTokens);
  const SequenceId first = table.open();
  REQUIRE(append(pool, table, first, {1, 2, 3, 4}));
  const SequenceId second = table.fork(first, 4).value();
  REQUIRE(table.truncate(second, 2));
  CHECK(table.pages(first)[0] == table.pages(second)[0]);
  CHECK(table.pages_needed(second, 3) == 1);
  REQUIRE(append(pool, table, second, {9}));
  CHECK(content(pool, table, first) == std::vector<int32_t>{1, 2, 3, 4});
  CHECK(content(pool, table, second) == std::vector<int32_t>{1, 2, 9});
  CHECK(table.pages_needed(second, 4) == 0);
}

TEST_CASE("sequence table: a pool that is too small changes nothing and says both numbers") {
  PagePool pool = make_pool(2);
  SequenceTable table(pool, kTokens);
  const SequenceId id = table.open();
  REQUIRE(append(pool, table, id, {1, 2, 3}));
  const Result<void> grown = table.reserve(id, 13);
  REQUIRE(!grown);
  CHECK(grown.error().code == Code::kResourceExhausted);
  CHECK(grown.error().message.find("3 pages") != std::string::npos);
  CHECK(grown.error().message.find("1 are free") != std::string::npos);
  CHECK(pool.free_pages() == 1);
  CHECK(content(pool, table, id) == std::vector<int32_t>{1, 2, 3});
}

TEST_CASE("sequence table: pages reserved for a pass that was stopped go back") {
  PagePool pool = make_pool(8);
  SequenceTable table(pool, kTokens);
  const SequenceId id = table.open();
  REQUIRE(append(pool, table, id, {1, 2}));
  REQUIRE(table.reserve(id, 20));
  CHECK(pool.free_pages() == 3);
  table.release_unused(id);
  CHECK(pool.free_pages() == 7);
  CHECK(content(pool, table, id) == std::vector<int32_t>{1, 2});
}

TEST_CASE("sequence table: unknown sequences and lengths beyond the present are errors") {
  PagePool pool = make_pool(2);
  SequenceTable table(pool, kTokens);
  const SequenceId id = table.open();
  CHECK(table.fork(99, 0).error().code == Code::kInvalidArgument);
  CHECK(table.fork(id, 1).error().code == Code::kInvalidArgument);
  CHECK(table.truncate(id, 1).error().code == Code::kInvalidArgument);
  CHECK(table.truncate(id, -1).error().code == Code::kInvalidArgument);
}

TEST_CASE("sequence table: random forks, cuts and writes agree with plain lists, and no page is lost") {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    PagePool pool = make_pool(40);
    {
      SequenceTable table(pool, kTokens);
      std::map<SequenceId, std::vector<int32_t>> model;
      std::mt19937 random(seed);
      const auto up_to = [&](int32_t limit) {
        return std::uniform_int_distribution<int32_t>(0, limit)(random);
      };
      for (int step = 0; step < 2000; ++step) {
        SequenceId id = 0;
        if (!model.empty())
          id = std::next(model.begin(), up_to(static_cast<int32_t>(model.size()) - 1))->first;
        const int32_t action = up_to(9);
        if (model.empty() || action == 0) {
          if (model.size() < 12) model[table.open()] = {};
        } else if (action == 1) {
          table.close(id);
          model.erase(id);
        } else if (action == 2) {
          const int32_t length = up_to(static_cast<int32_t>(model[id].size()));
          const auto fork = table.fork(id, length);
          if (fork) {
            model[*fork] = std::vector<int32_t>(model[id].begin(), model[id].begin() + length);
          } else {
            CHECK(pool.free_pages() == 0);
          }
        } else if (action == 3) {
          const int32_t length = up_to(static_cast<int32_t>(model[id].size()));
          REQUIRE(table.truncate(id, length));
          model[id].resize(static_cast<size_t>(length));
        } else {
          std::vector<int32_t> values(static_cast<size_t>(up_to(9)));
          for (int32_t& value : values) value = up_to(1 << 30);
          const int32_t length = table.length(id) + static_cast<int32_t>(values.size());
          const int64_t needed = table.pages_needed(id, length), free = pool.free_pages();
          const bool grown = append(pool, table, id, values).has_value();
          CHECK(grown == (needed <= free));
          CHECK(pool.free_pages() == (grown ? free - needed : free));
          if (grown) model[id].insert(model[id].end(), values.begin(), values.end());
        }
      }
      for (const auto& [id, values] : model) CHECK(content(pool, table, id) == values);
    }
    CHECK(pool.free_pages() == pool.pages_total());
  }
}

}  // namespace ondol::kv
