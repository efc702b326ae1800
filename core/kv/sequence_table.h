// Which pages hold which sequence. A page may belong to several sequences that begin alike; it is copied
// before one of them writes into it. A sequence can be cut to any length: layers with a sliding window keep
// every position, so a cut sequence goes on as if it had never been longer.
//
// Threads: one thread owns a table and its pool.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/kv/page_pool.h"

namespace ondol::kv {

using SequenceId = int64_t;

class SequenceTable {
 public:
  // `page_tokens`: positions a page holds. Borrows the pool; gives all pages back at the end.
  SequenceTable(PagePool& pool, int32_t page_tokens) : pool_(pool), page_tokens_(page_tokens) {}
  ~SequenceTable();
  SequenceTable(const SequenceTable&) = delete;
  SequenceTable& operator=(const SequenceTable&) = delete;

  // Sequences are numbered from 1; a number is never used again.
  SequenceId open();
  void close(SequenceId sequence);
  bool contains(SequenceId sequence) const { return sequences_.contains(sequence); }
  int64_t count() const { return static_cast<int64_t>(sequences_.size()); }

  // A new sequence that begins with the first `length` tokens of `source`: full pages are shared, a partial
  // one is copied. kInvalidArgument: no such sequence, or it is shorter; kResourceExhausted: no page for the
  // copy.
  Result<SequenceId> fork(SequenceId source, int32_t length);

  // Cuts to `length` tokens, at most the present length, and gives back pages that are no longer needed.
  Result<void> truncate(SequenceId sequence, int32_t length);

  // Makes positions [length, new_length) writable: takes pages, and copies a shared page that will be written
  // to. The length stays. kResourceExhausted: nothing was changed.
  Result<void> reserve(SequenceId sequence, int32_t new_length);
  // Pages that reserve() would take.
  int64_t pages_needed(SequenceId sequence, int32_t new_length) const;
  // States that positions up to `length` have been written; they were reserved before.
  void set_length(SequenceId sequence, int32_t length);
  // Gives back pages that were reserved beyond the present length.
  void release_unused(SequenceId sequence);

  int32_t length(SequenceId sequence) const { return at(sequence).length; }
  std::span<const PageHandle> pages(SequenceId sequence) const { return at(sequence).pages; }

 private:
  struct Sequence {
    std::vector<PageHandle> pages;
    int32_t length = 0;
  };
  Sequence& at(SequenceId sequence);
  const Sequence& at(SequenceId sequence) const;
  int64_t pages_for(int32_t length) const { return (int64_t{length} + page_tokens_ - 1) / page_tokens_; }
  // The partly filled page at the end of the sequence is shared: writing needs a copy.
  bool must_copy_last(const Sequence& sequence, int32_t new_length) const;
  void drop_pages_beyond(Sequence& sequence, int64_t count);
  PageHandle copy_of(PageHandle page);

  PagePool& pool_;
  const int32_t page_tokens_;
  SequenceId next_id_ = 1;
  std::unordered_map<SequenceId, Sequence> sequences_;
};

}  // namespace ondol::kv
