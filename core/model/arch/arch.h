// The list of architectures and what their readers share. To add one: write arch/<name>.cpp with a function
// of this form and add it to the list in arch.cpp.
//
// Metadata keys, <arch>.<suffix>: section "LLM" of the GGUF format page.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/gguf/reader.h"
#include "core/model/model_spec.h"

namespace ondol::model::arch {

// Typed, range-checked access to the keys of one architecture. Borrows the file.
class Metadata {
 public:
  explicit Metadata(const gguf::File& file, std::string_view architecture)
      : file_(file), architecture_(architecture) {}

  const gguf::File& file() const { return file_; }
  const std::string& architecture() const { return architecture_; }
  std::string key(std::string_view suffix) const { return architecture_ + "." + std::string(suffix); }
  bool has(std::string_view suffix) const { return file_.has(key(suffix)); }
  bool has_tensor(std::string_view name) const { return file_.tensor(name) != nullptr; }

  // A whole number in [low, high]; an array of equal numbers counts as one.
  Result<int32_t> integer(std::string_view suffix, int64_t low, int64_t high) const;
  Result<int32_t> integer_or(std::string_view suffix, int32_t otherwise, int64_t low, int64_t high) const;
  Result<double> real_or(std::string_view suffix, double otherwise, double low, double high) const;
  Result<std::string> string_or(std::string_view suffix, std::string_view otherwise) const;

  // An error about `suffix`.
  Error invalid(std::string_view suffix, std::string message) const;

 private:
  const gguf::File& file_;
  std::string architecture_;
};

// What every decoder-only transformer states: sizes, epsilon, one rotary, tied embeddings, experts;
// pre-norms, attention scale 1/sqrt(head_dim), SiLU. `kind` is the pairing that the architecture's files use.
Result<ModelSpec> read_decoder(const Metadata& metadata, kernels::RotaryKind kind);

// The sliding window of each layer: <arch>.attention.sliding_window for those that the pattern names.
// The pattern key, where a file has it, is a list of booleans a layer (true: sliding) or a period n: every
// n-th layer sees everything. `period` is used where the file says nothing; 0: no layer slides, 1: every one.
Result<void> read_windows(const Metadata& metadata, int32_t period, ModelSpec& spec);

Result<ModelSpec> read_llama(const Metadata& metadata);
Result<ModelSpec> read_qwen2(const Metadata& metadata);
Result<ModelSpec> read_qwen3(const Metadata& metadata);
Result<ModelSpec> read_qwen3moe(const Metadata& metadata);
Result<ModelSpec> read_gemma2(const Metadata& metadata);
Result<ModelSpec> read_gemma3(const Metadata& metadata);
Result<ModelSpec> read_phi3(const Metadata& metadata);
Result<ModelSpec> read_smollm3(const Metadata& metadata);
Result<ModelSpec> read_exaone(const Metadata& metadata);
Result<ModelSpec> read_exaone4(const Metadata& metadata);

}  // namespace ondol::model::arch
