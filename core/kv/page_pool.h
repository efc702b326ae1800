// A fixed number of equal pages of memory for keys and values, handed out by number and counted by
// references. The address space is reserved at once; memory is taken when a page is first written, and never
// more than pages_total * page_bytes. Freed pages are used again first, so a small load stays small.
//
// Threads: one thread owns a pool; free_pages() may be read by any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/result.h"

namespace ondol::kv {

// A page of one pool. Never a pointer: pages may move, be on disk or on another machine.
enum class PageHandle : int32_t {};
inline constexpr PageHandle kNoPage{-1};

class PagePool {
 public:
  static constexpr int64_t kPagesMax = int64_t{1} << 30;

  // kInvalidArgument: sizes that make no sense; kResourceExhausted: the address space cannot be had.
  static Result<PagePool> create(int64_t page_bytes, int64_t pages_total);
  PagePool(PagePool&& other) noexcept;
  PagePool& operator=(PagePool&&) = delete;
  ~PagePool();

  int64_t page_bytes() const { return page_bytes_; }
  int64_t pages_total() const { return static_cast<int64_t>(references_.size()); }
  int64_t free_pages() const { return free_count_.load(std::memory_order_relaxed); }  // any thread

  // A page with one reference and any content; kNoPage if none is free.
  PageHandle take();
  void add_reference(PageHandle page);
  // Frees the page with its last reference.
  void drop_reference(PageHandle page);
  int32_t references(PageHandle page) const { return references_[index(page)]; }

  // The page's memory, page_bytes() long, 64-byte aligned. Valid while the pool lives.
  std::byte* data(PageHandle page) const { return memory_ + static_cast<int64_t>(index(page)) * page_bytes_; }

 private:
  PagePool(std::byte* memory, int64_t page_bytes, int64_t pages_total);
  size_t index(PageHandle page) const;

  std::byte* memory_ = nullptr;
  int64_t page_bytes_ = 0;
  std::vector<int32_t> references_;  // [pages]; 0: free
  std::vector<PageHandle> free_;     // a stack: the page freed last is taken first
  std::atomic<int64_t> free_count_{0};
};

}  // namespace ondol::kv
