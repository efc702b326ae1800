// One forward pass of any model that a ModelSpec describes: tokens of several sequences in, logits of the
// wanted rows out. The same bits for a token whatever stands beside it in the batch, however a prompt is cut
// into passes and however many threads there are: work is split by rows, panels and KV heads, never inside a
// sum.
//
// Memory: buffers for the largest pass so far (weights.h: activation_bytes). KV pages belong to the caller.
//
// Threads: run() from one thread at a time; it uses the whole team.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/base/thread_team.h"
#include "core/model/model_spec.h"
#include "core/model/weights.h"
#include "kernels/base/kernel_table.h"

namespace ondol::model {

// Consecutive tokens of one sequence. Borrowed for the call. Two views must not write the same page.
struct SequenceView {
  std::span<const int32_t> tokens;       // each in [0, vocabulary)
  int32_t position = 0;                  // of the first token; keys before it are in the pages
  std::byte* const* pages = nullptr;     // page p holds positions 64p … 64p+63; page_bytes() each
  std::span<const int32_t> logits_rows;  // indexes into tokens, ascending
};

struct ForwardOptions {
  kernels::KvType kv_type = kernels::KvType::kF16;
  int32_t context = 0;  // the most positions a sequence may have: chooses LongRoPE's factors
};

class Forward {
 public:
  static constexpr int64_t kRowsMax = 1024;   // tokens of one pass
  static constexpr int32_t kTaskTokens = 16;  // query positions of one attention task

  // Borrows everything but the options.
  Forward(const ModelSpec& spec, const Weights& weights, const kernels::KernelTable& table, ThreadTeam& team,
          ForwardOptions options);

  int64_t page_bytes() const { return geometry_.layer_bytes() * static_cast<int64_t>(spec_.layers.size()); }

  // Writes the tokens' keys and values into the pages, and logits [wanted rows][vocabulary], in the order of
  // the views. At most kRowsMax tokens. kCancelled: `stop` became true between two layers; the pages' slots
  // of these tokens then hold anything.
  Result<void> run(std::span<const SequenceView> views, float* logits, const std::atomic<bool>* stop);

 private:
  struct Row {  // one token
    int32_t token = 0;
    int32_t position = 0;
    std::byte* page = nullptr;
  };
  struct TokenRun {  // consecutive tokens of one view whose attention one task computes
    const SequenceView* view = nullptr;
    int32_t position = 0;
    int32_t tokens = 0;
    int64_t row = 0;  // of the first token in qkv_
    int64_t out = 0;  // and in attended_
  };
  struct ExpertRun {  // the pairs (token, expert) of one expert
    int32_t expert = 0;
    int64_t begin = 0;
    int64_t count = 0;
  };
  struct Worker {  // a thread's place in the pass
    int thread = 0;
    size_t phase = 0;
  };

  void lay_out(std::span<const SequenceView> views);
  void add_runs(const SequenceView& view, int64_t first_row, std::vector<TokenRun>& runs, bool wanted_only,
                int64_t& out) const;
  void resize_buffers();
  void work(Worker& worker, float* logits, const std::atomic<bool>* stop);

  // f(begin, end) over [0, count) in pieces of `grain`, all threads together, then a barrier.
  template <class F>
  void split(Worker& worker, int64_t count, int64_t grain, F&& f);
  int64_t row_grain(int64_t rows) const;
  void project(Worker& worker, const Projection& projection, const kernels::ActivationBuffer& x, int64_t m,
               float* y);

  void embed_row(int64_t row);
  void attention_input(size_t layer, int64_t row);  // x_ -> normed_
  void attention_keys(size_t layer, int64_t row);   // qkv_: bias, norm, rotation, KV write
  void attend(size_t layer, const TokenRun& run, int32_t kv_head, int thread);
  void attention_output(size_t layer, int64_t live);  // projected_ -> x_, then x_ -> normed_
  void feed_forward(Worker& worker, size_t layer, int64_t live);
  void feed_forward_output(size_t layer, int64_t live);  // projected_ -> x_
  void experts(Worker& worker, size_t layer, int64_t live);
  void choose_experts(int64_t live);
  void group_by_expert(int64_t live);
  void add_residual(const std::vector<float>& post_norm, const std::vector<float>& bias, int64_t live);
  void norm_into(const std::vector<float>& weight, bool present, const float* x,
                 kernels::ActivationBuffer& out, int64_t row) const;

  const ModelSpec& spec_;
  const Weights& weights_;
  const kernels::KernelTable& table_;
  ThreadTeam& team_;
  kernels::KvGeometry geometry_;
  std::vector<std::vector<float>> frequencies_;  // of each rotary
  int64_t qkv_width_ = 0;
  int64_t angles_width_ = 0;  // floats of all rotaries' cosines and sines for one row

  // The pass at hand.
  std::vector<Row> rows_;
  std::vector<TokenRun> runs_;       // of all tokens
  std::vector<TokenRun> last_runs_;  // of the wanted tokens: all that the last layer computes
  std::vector<int32_t> all_rows_;    // 0, 1, 2 …
  std::vector<int32_t> wanted_rows_;
  const std::vector<int32_t>* live_ = nullptr;    // rows of x_ that the layer at hand computes
  bool cancelled_ = false;                        // written by thread 0 before a barrier
  std::unique_ptr<std::atomic<int64_t>[]> next_;  // a counter a phase
  size_t phases_max_ = 0;

  // Row buffers. x_, qkv_ and angles_ are indexed by row, the others by place in live_.
  kernels::AlignedBuffer x_;          // [rows][width]: the residual stream
  kernels::AlignedBuffer angles_;     // [rows][rotary: cos dim/2, sin dim/2]
  kernels::AlignedBuffer qkv_;        // [rows][q_width + 2 kv_width]
  kernels::AlignedBuffer projected_;  // [live][width]
  kernels::AlignedBuffer gate_up_;    // [live or pairs][2 ff]
  kernels::AlignedBuffer router_;     // [live][experts]
  kernels::AlignedBuffer pair_out_;   // [pairs][width]
  kernels::AlignedBuffer scratch_;    // [threads][scratch_floats_]
  int64_t scratch_floats_ = 0;
  kernels::ActivationBuffer normed_;     // [live][width]
  kernels::ActivationBuffer attended_;   // [live][q_width]
  kernels::ActivationBuffer activated_;  // [live or pairs][ff]
  std::vector<int32_t> chosen_;          // [live][used]: experts, the best first
  std::vector<float> chosen_weight_;     // [live][used]
  std::vector<int32_t> pair_of_;         // [live][used]: place in the grouped order
  std::vector<int32_t> pair_row_;        // [pairs]: row of normed_
  std::vector<int32_t> pair_self_;       // [pairs]: 0, 1, 2 …
  std::vector<ExpertRun> expert_runs_;
};

}  // namespace ondol::model
