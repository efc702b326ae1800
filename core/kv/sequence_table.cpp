#include "core/kv/sequence_table.h"

#include <cstring>
#include <string>
#include <utility>

#include "core/base/check.h"

namespace ondol::kv {
namespace {

Error no_pages(int64_t needed, int64_t free) {
  return Error{
      Code::kResourceExhausted,
      std::to_string(needed) + " pages of KV memory are needed, " + std::to_string(free) + " are free", ""};
}

Error no_sequence(SequenceId sequence) {
  return Error{Code::kInvalidArgument, "there is no sequence " + std::to_string(sequence), ""};
}

Error bad_length(int32_t asked, int32_t present) {
  return Error{Code::kInvalidArgument,
               "length " + std::to_string(asked) + " of a sequence of " + std::to_string(present) + " tokens",
               ""};
}

}  // namespace

SequenceTable::~SequenceTable() {
  for (auto& [id, sequence] : sequences_) drop_pages_beyond(sequence, 0);
}

SequenceTable::Sequence& SequenceTable::at(SequenceId sequence) {
  const auto found = sequences_.find(sequence);
  CHECK(found != sequences_.end());
  return found->second;
}

const SequenceTable::Sequence& SequenceTable::at(SequenceId sequence) const {
  const auto found = sequences_.find(sequence);
  CHECK(found != sequences_.end());
  return found->second;
}

SequenceId SequenceTable::open() {
  const SequenceId id = next_id_++;
  sequences_.emplace(id, Sequence{});
  return id;
}

void SequenceTable::close(SequenceId sequence) {
  drop_pages_beyond(at(sequence), 0);
  sequences_.erase(sequence);
}

void SequenceTable::drop_pages_beyond(Sequence& sequence, int64_t count) {
  while (static_cast<int64_t>(sequence.pages.size()) > count) {
    pool_.drop_reference(sequence.pages.back());
    sequence.pages.pop_back();
  }
}

PageHandle SequenceTable::copy_of(PageHandle page) {
  const PageHandle copy = pool_.take();
  if (copy != kNoPage)
    std::memcpy(pool_.data(copy), pool_.data(page), static_cast<size_t>(pool_.page_bytes()));
  return copy;
}

Result<SequenceId> SequenceTable::fork(SequenceId source, int32_t length) {
  if (!contains(source)) return no_sequence(source);
  const Sequence& from = at(source);
  if (length < 0 || length > from.length) return bad_length(length, from.length);
  Sequence fork;
  fork.length = length;
  const size_t full = static_cast<size_t>(length / page_tokens_);
  if (length % page_tokens_ != 0) {
    const PageHandle copy = copy_of(from.pages[full]);
    if (copy == kNoPage) return no_pages(1, 0);
    fork.pages.push_back(copy);
  }
  fork.pages.insert(fork.pages.begin(), from.pages.begin(), from.pages.begin() + static_cast<int64_t>(full));
  for (size_t i = 0; i < full; ++i) pool_.add_reference(fork.pages[i]);
  const SequenceId id = next_id_++;
  sequences_.emplace(id, std::move(fork));
  return id;
}

Result<void> SequenceTable::truncate(SequenceId sequence, int32_t length) {
  if (!contains(sequence)) return no_sequence(sequence);
  Sequence& cut = at(sequence);
  if (length < 0 || length > cut.length) return bad_length(length, cut.length);
  cut.length = length;
  drop_pages_beyond(cut, pages_for(length));
  return {};
}

bool SequenceTable::must_copy_last(const Sequence& sequence, int32_t new_length) const {
  if (new_length <= sequence.length || sequence.length % page_tokens_ == 0) return false;
  return pool_.references(sequence.pages[static_cast<size_t>(sequence.length / page_tokens_)]) > 1;
}

int64_t SequenceTable::pages_needed(SequenceId sequence, int32_t new_length) const {
  const Sequence& grown = at(sequence);
  const int64_t more = pages_for(new_length) - static_cast<int64_t>(grown.pages.size());
  return (more > 0 ? more : 0) + (must_copy_last(grown, new_length) ? 1 : 0);
}

Result<void> SequenceTable::reserve(SequenceId sequence, int32_t new_length) {
  Sequence& grown = at(sequence);
  CHECK(new_length >= grown.length);
  const int64_t needed = pages_needed(sequence, new_length);
  if (needed > pool_.free_pages()) return no_pages(needed, pool_.free_pages());
  if (must_copy_last(grown, new_length)) {
    PageHandle& last = grown.pages[static_cast<size_t>(grown.length / page_tokens_)];
    const PageHandle copy = copy_of(last);
    pool_.drop_reference(last);
    last = copy;
  }
  while (static_cast<int64_t>(grown.pages.size()) < pages_for(new_length))
    grown.pages.push_back(pool_.take());
  return {};
}

void SequenceTable::set_length(SequenceId sequence, int32_t length) {
  Sequence& written = at(sequence);
  CHECK(length >= written.length && pages_for(length) <= static_cast<int64_t>(written.pages.size()));
  written.length = length;
}

void SequenceTable::release_unused(SequenceId sequence) {
  Sequence& kept = at(sequence);
  drop_pages_beyond(kept, pages_for(kept.length));
}

}  // namespace ondol::kv
