#include "core/kv/page_pool.h"

#include <sys/mman.h>

#include <string>
#include <utility>

#include "core/base/check.h"

namespace ondol::kv {

Result<PagePool> PagePool::create(int64_t page_bytes, int64_t pages_total) {
  if (page_bytes <= 0 || page_bytes % 64 != 0) {
    return Error{Code::kInvalidArgument, "a page of " + std::to_string(page_bytes) + " bytes", "page_bytes"};
  }
  if (pages_total <= 0 || pages_total > kPagesMax || pages_total > INT64_MAX / page_bytes) {
    return Error{Code::kInvalidArgument, "a pool of " + std::to_string(pages_total) + " pages",
                 "pages_total"};
  }
  const size_t bytes = static_cast<size_t>(page_bytes * pages_total);
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return Error{Code::kResourceExhausted,
                 "no address space for " + std::to_string(bytes >> 20) + " MiB of keys and values", ""};
  }
  madvise(memory, bytes, MADV_HUGEPAGE);  // a hint: long contexts touch many pages
  madvise(memory, bytes, MADV_DONTDUMP);
  return PagePool(static_cast<std::byte*>(memory), page_bytes, pages_total);
}

PagePool::PagePool(std::byte* memory, int64_t page_bytes, int64_t pages_total)
    : memory_(memory), page_bytes_(page_bytes), references_(static_cast<size_t>(pages_total), 0) {
  free_.reserve(static_cast<size_t>(pages_total));
  for (int64_t i = pages_total - 1; i >= 0; --i) free_.push_back(static_cast<PageHandle>(i));
  free_count_.store(pages_total, std::memory_order_relaxed);
}

PagePool::PagePool(PagePool&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      page_bytes_(other.page_bytes_),
      references_(std::move(other.references_)),
      free_(std::move(other.free_)),
      free_count_(other.free_count_.exchange(0)) {}

PagePool::~PagePool() {
  if (memory_ != nullptr) munmap(memory_, static_cast<size_t>(page_bytes_ * pages_total()));
}

size_t PagePool::index(PageHandle page) const {
  const auto i = static_cast<size_t>(page);
  CHECK(i < references_.size());
  return i;
}

PageHandle PagePool::take() {
  if (free_.empty()) return kNoPage;
  const PageHandle page = free_.back();
  free_.pop_back();
  references_[index(page)] = 1;
  free_count_.fetch_sub(1, std::memory_order_relaxed);
  return page;
}

void PagePool::add_reference(PageHandle page) {
  CHECK(references_[index(page)] > 0);
  ++references_[index(page)];
}

void PagePool::drop_reference(PageHandle page) {
  int32_t& references = references_[index(page)];
  CHECK(references > 0);
  if (--references > 0) return;
  free_.push_back(page);
  free_count_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace ondol::kv
