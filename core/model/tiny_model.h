// For tests: the tiny models of tests/data/tiny, and a way to run any spec over one sequence.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/base/thread_team.h"
#include "core/gguf/reader.h"
#include "core/model/forward.h"
#include "core/model/model_spec.h"
#include "core/model/weights.h"
#include "kernels/base/kernel_table.h"

namespace ondol::model::testing {

inline std::string tiny_path(const std::string& file) {
  return std::string(ONDOL_TEST_DATA) + "/tiny/" + file;
}

inline std::shared_ptr<const gguf::File> open_tiny(const std::string& file) {
  auto opened = gguf::File::open(real_file_system(), tiny_path(file));
  CHECK(opened.has_value());
  return std::shared_ptr<const gguf::File>(std::move(*opened));
}

// What a tiny model must give.
struct ExpectedCase {
  std::vector<int32_t> tokens;
  int32_t context = 0;        // to run with; 0: as trained
  std::vector<float> logits;  // [tokens][vocabulary]
};

inline std::vector<ExpectedCase> expected_cases(const std::string& model) {
  const auto file = open_tiny(model + ".expected.gguf");
  std::vector<ExpectedCase> cases;
  for (int i = 0; file->has("case." + std::to_string(i) + ".tokens"); ++i) {
    const std::string name = "case." + std::to_string(i);
    ExpectedCase& each = cases.emplace_back();
    const std::vector<int64_t> tokens = file->integers(name + ".tokens").value();
    for (const int64_t token : tokens) {
      each.tokens.push_back(static_cast<int32_t>(token));
    }
    each.context = static_cast<int32_t>(file->integer(name + ".context").value());
    const gguf::Tensor* logits = file->tensor(name + ".logits");
    CHECK(logits != nullptr);
    const auto* values = reinterpret_cast<const float*>(logits->bytes.data());
    each.logits.assign(values, values + logits->elements());
  }
  CHECK(!cases.empty());
  return cases;
}

// A loaded model and one sequence's pages.
class SingleSequence {
 public:
  SingleSequence(const ModelSpec& spec, const Weights& weights, const kernels::KernelTable& table,
                 ThreadTeam& team, kernels::KvType kv_type, int32_t context)
      : spec_(spec), forward_(spec, weights, table, team, {kv_type, context}) {}

  // Logits of every token appended.
  std::vector<float> append(std::span<const int32_t> tokens) {
    const int32_t end = length_ + static_cast<int32_t>(tokens.size());
    while (static_cast<int32_t>(pages_.size()) * kernels::kPageTokens < end) {
      CHECK(storage_.emplace_back().allocate(forward_.page_bytes()));
      pages_.push_back(storage_.back().data());
    }
    std::vector<int32_t> rows(tokens.size());
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int32_t>(i);
    std::vector<float> logits(tokens.size() * static_cast<size_t>(spec_.vocabulary));
    const SequenceView view{tokens, length_, pages_.data(), rows};
    CHECK(forward_.run(std::span(&view, 1), logits.data(), nullptr).has_value());
    length_ = end;
    return logits;
  }

 private:
  const ModelSpec& spec_;
  Forward forward_;
  int32_t length_ = 0;
  std::vector<kernels::AlignedBuffer> storage_;
  std::vector<std::byte*> pages_;
};

}  // namespace ondol::model::testing
