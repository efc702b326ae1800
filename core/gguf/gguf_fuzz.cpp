// Fuzz target: whatever the bytes, parsing ends with an error or with a file whose parts lie inside them.
#include <algorithm>
#include <cstdint>

#include "core/base/check.h"
#include "core/gguf/reader.h"

namespace {

using ondol::gguf::File;
using ondol::gguf::Tensor;

void check_inside(std::span<const std::byte> all, std::span<const std::byte> part) {
  CHECK(part.data() >= all.data() && part.data() + part.size() <= all.data() + all.size());
}

void check_tensors(const File& file, std::span<const std::byte> all) {
  std::vector<const Tensor*> by_place;
  for (const Tensor& tensor : file.tensors()) {
    check_inside(all, tensor.bytes);
    check_inside(all, std::as_bytes(std::span(tensor.name)));
    CHECK(!tensor.shape.empty() && tensor.shape.size() <= 4);
    CHECK(tensor.shape[0] % ondol::kernels::dtype_traits(tensor.type)->block_elements == 0);
    CHECK(tensor.elements() > 0);
    CHECK(tensor.bytes.size() ==
          static_cast<size_t>(ondol::kernels::dtype_bytes(tensor.type, tensor.elements())));
    CHECK(file.tensor(tensor.name) == &tensor);
    by_place.push_back(&tensor);
  }
  std::sort(by_place.begin(), by_place.end(),
            [](const Tensor* a, const Tensor* b) { return a->bytes.data() < b->bytes.data(); });
  for (size_t i = 1; i < by_place.size(); ++i)
    CHECK(by_place[i - 1]->bytes.data() + by_place[i - 1]->bytes.size() <= by_place[i]->bytes.data());
}

void check_values(const File& file, std::span<const std::byte> all) {
  for (const auto& [key, value] : file.values()) {
    check_inside(all, std::as_bytes(std::span(key)));
    CHECK(file.find(key) == &value);
    if (const auto text = file.string(key)) check_inside(all, std::as_bytes(std::span(*text)));
    if (const auto texts = file.strings(key)) {
      for (const std::string_view text : *texts) check_inside(all, std::as_bytes(std::span(text)));
    }
    (void)file.integer(key).has_value();
    (void)file.real(key).has_value();
    (void)file.boolean(key).has_value();
    (void)file.integers(key).has_value();
    (void)file.reals(key).has_value();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto file = File::parse(bytes, "fuzz.gguf");
  if (!file) {
    CHECK(!file.error().message.empty() && file.error().where.starts_with("fuzz.gguf"));
    return 0;
  }
  check_tensors(**file, bytes);
  check_values(**file, bytes);
  return 0;
}
