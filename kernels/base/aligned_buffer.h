// Memory aligned to 64 bytes (and to 2 MiB, advised to huge pages, when large). Move-only. Zeroed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ondol::kernels {

class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  ~AlignedBuffer() { reset(); }
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept;
  // False if the memory could not be had; the buffer is empty then.
  bool allocate(int64_t bytes);
  void reset();
  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace ondol::kernels
