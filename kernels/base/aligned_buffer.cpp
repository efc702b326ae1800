#include "kernels/base/aligned_buffer.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace ondol::kernels {
namespace {
constexpr int64_t kLine = 64;
constexpr int64_t kHugePage = int64_t{2} << 20;
}  // namespace

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
  if (this != &other) {
    reset();
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

bool AlignedBuffer::allocate(int64_t bytes) {
  reset();
  if (bytes <= 0) return bytes == 0;
  const bool large = bytes >= 2 * kHugePage;
  const int64_t alignment = large ? kHugePage : kLine;
  if (bytes > INT64_MAX - alignment) return false;
  const int64_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (large) {
    // Pages straight from the system are zero already; touching them is left to the threads that fill them.
    void* raw = mmap(nullptr, static_cast<size_t>(rounded + alignment), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return false;
    const auto begin = reinterpret_cast<uintptr_t>(raw);
    const uintptr_t first =
        (begin + static_cast<uintptr_t>(alignment) - 1) & ~static_cast<uintptr_t>(alignment - 1);
    const uintptr_t last = first + static_cast<uintptr_t>(rounded);
    const uintptr_t end = begin + static_cast<uintptr_t>(rounded + alignment);
    if (first > begin) munmap(raw, first - begin);
    if (end > last) munmap(reinterpret_cast<void*>(last), end - last);
    madvise(reinterpret_cast<void*>(first), static_cast<size_t>(rounded), MADV_HUGEPAGE);
    data_ = reinterpret_cast<std::byte*>(first);
  } else {
    void* raw = std::aligned_alloc(static_cast<size_t>(alignment), static_cast<size_t>(rounded));
    if (raw == nullptr) return false;
    std::memset(raw, 0, static_cast<size_t>(rounded));
    data_ = static_cast<std::byte*>(raw);
  }
  bytes_ = bytes;
  return true;
}

void AlignedBuffer::reset() {
  if (data_ != nullptr) {
    if (bytes_ >= 2 * kHugePage) {
      munmap(data_, static_cast<size_t>((bytes_ + kHugePage - 1) / kHugePage * kHugePage));
    } else {
      std::free(data_);
    }
  }
  data_ = nullptr;
  bytes_ = 0;
}

}  // namespace ondol::kernels
