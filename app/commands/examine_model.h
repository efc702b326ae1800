// What a model file is and what it would take to serve it, without loading its weights.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/model/weights.h"

namespace ondol::commands {

struct ModelReport {
  std::string path;
  std::string failure;  // why it cannot be served; the fields below are then as far as they were read
  std::string architecture;
  int64_t file_bytes = 0;
  int64_t parameters = 0;
  int32_t context = 0;                                 // as trained
  std::vector<std::pair<std::string, int64_t>> types;  // of tensors: name and bytes, the largest first
  std::string tokenizer;                               // "gpt2"
  std::string pre_tokenizer;                           // "qwen2"
  int64_t vocabulary = 0;
  std::string chat_template;  // "file", a default's name, or "none: reason"
  model::MemoryEstimate memory;
  std::vector<std::string> problems;  // it can be served, but …
  bool ok() const { return failure.empty(); }
  // Weights, activations and keys and values of `tokens` tokens.
  int64_t needed_bytes(int64_t tokens) const;
};

// `available_bytes`: memory that a server could take.
ModelReport examine_model(FileSystem& files, const std::string& path, int64_t available_bytes);

nlohmann::ordered_json model_json(const ModelReport& report, int64_t available_bytes);
std::string model_text(const ModelReport& report, int64_t available_bytes);

}  // namespace ondol::commands
