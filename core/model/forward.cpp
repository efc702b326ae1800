#include "core/model/forward.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/model/rotary.h"

namespace ondol::model {
namespace {

using kernels::ActivationBuffer;
using kernels::AlignedBuffer;
using kernels::kPageTokens;

// Pieces a thread gets of one phase: enough to even out a slow core, few enough to stream.
constexpr int64_t kPiecesPerThread = 4;
constexpr int64_t kRowGrainMax = 8;
constexpr size_t kPhasesPerLayer = 16;

void reserve_floats(AlignedBuffer& buffer, int64_t floats) {
  const int64_t bytes = floats * static_cast<int64_t>(sizeof(float));
  if (buffer.bytes() < bytes) CHECK(buffer.allocate(bytes));
}

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The part of panels [begin, end), counted through all parts, that lies in each part.
template <class F>
void for_parts(const Projection& projection, int64_t begin, int64_t end, F&& f) {
  int64_t panel = 0, row = 0;
  for (const kernels::PackedMatrix& part : projection.parts) {
    const int64_t first = std::max(begin - panel, int64_t{0});
    const int64_t last = std::min(end - panel, part.panels());
    if (first < last) f(part, row, first, last);
    panel += part.panels();
    row += part.rows;
  }
}

}  // namespace

Forward::Forward(const ModelSpec& spec, const Weights& weights, const kernels::KernelTable& table,
                 ThreadTeam& team, ForwardOptions options)
    : spec_(spec),
      weights_(weights),
      table_(table),
      team_(team),
      geometry_{options.kv_type, spec.kv_heads, spec.head_dim},
      qkv_width_(spec.q_width() + 2 * int64_t{spec.kv_width()}) {
  for (const RotarySpec& rotary : spec_.rotaries) {
    std::span<const float> factors = weights_.rotary_factors;
    if (rotary.scaling == RotaryScaling::kLongRope) {
      const bool beyond = options.context > rotary.original_context;
      factors = beyond ? weights_.rotary_factors_long : weights_.rotary_factors_short;
    }
    frequencies_.push_back(rotary_frequencies(rotary, factors));
    angles_width_ += rotary.dim;
  }
  phases_max_ = kPhasesPerLayer * (spec_.layers.size() + 1);
  next_ = std::make_unique<std::atomic<int64_t>[]>(phases_max_);
  const int64_t floats =
      kernels::attention_scratch_floats(kTaskTokens, spec_.heads / spec_.kv_heads, spec_.head_dim);
  scratch_floats_ = divide_up(floats, 16) * 16;
  reserve_floats(scratch_, scratch_floats_ * team_.threads());
}

template <class F>
void Forward::split(Worker& worker, int64_t count, int64_t grain, F&& f) {
  std::atomic<int64_t>& next = next_[worker.phase++];
  for (int64_t begin = next.fetch_add(grain, std::memory_order_relaxed); begin < count;
       begin = next.fetch_add(grain, std::memory_order_relaxed)) {
    f(begin, std::min(begin + grain, count));
  }
  team_.barrier();
}

int64_t Forward::row_grain(int64_t rows) const {
  return std::clamp<int64_t>(divide_up(rows, team_.threads()), 1, kRowGrainMax);
}

// y [m][projection.rows()] = projection of rows [0, m) of x, without the bias.
void Forward::project(Worker& worker, const Projection& projection, const ActivationBuffer& x, int64_t m,
                      float* y) {
  const int64_t stride = projection.rows();
  const int64_t pieces = team_.threads() == 1 ? 1 : team_.threads() * kPiecesPerThread;
  split(worker, projection.panels(), divide_up(projection.panels(), pieces), [&](int64_t begin, int64_t end) {
    for_parts(projection, begin, end,
              [&](const kernels::PackedMatrix& part, int64_t row, int64_t first, int64_t last) {
                table_.matmul(part, x, nullptr, m, y + row, stride, first, last);
              });
  });
}

void Forward::add_runs(const SequenceView& view, int64_t first_row, std::vector<TokenRun>& runs,
                       bool wanted_only, int64_t& out) const {
  const auto push = [&](int32_t token) {
    TokenRun* last = runs.empty() ? nullptr : &runs.back();
    const int32_t position = view.position + token;
    if (last != nullptr && last->view == &view && last->position + last->tokens == position &&
        last->tokens < kTaskTokens) {
      ++last->tokens;
    } else {
      runs.push_back({&view, position, 1, first_row + token, out});
    }
    ++out;
  };
  if (wanted_only) {
    for (const int32_t token : view.logits_rows) push(token);
  } else {
    for (int32_t token = 0; token < static_cast<int32_t>(view.tokens.size()); ++token) push(token);
  }
}

void Forward::lay_out(std::span<const SequenceView> views) {
  rows_.clear();
  runs_.clear();
  last_runs_.clear();
  all_rows_.clear();
  wanted_rows_.clear();
  int64_t out = 0, last_out = 0;
  for (const SequenceView& view : views) {
    const int64_t first_row = static_cast<int64_t>(rows_.size());
    for (size_t i = 0; i < view.tokens.size(); ++i) {
      const int32_t position = view.position + static_cast<int32_t>(i);
      CHECK(view.tokens[i] >= 0 && view.tokens[i] < spec_.vocabulary);
      all_rows_.push_back(static_cast<int32_t>(rows_.size()));
      rows_.push_back({view.tokens[i], position, view.pages[position / kPageTokens]});
    }
    for (const int32_t row : view.logits_rows) {
      CHECK(row >= 0 && static_cast<size_t>(row) < view.tokens.size());
      wanted_rows_.push_back(static_cast<int32_t>(first_row) + row);
    }
    add_runs(view, first_row, runs_, false, out);
    add_runs(view, first_row, last_runs_, true, last_out);
  }
  CHECK(static_cast<int64_t>(rows_.size()) <= kRowsMax);
}

void Forward::resize_buffers() {
  const int64_t m = static_cast<int64_t>(rows_.size());
  reserve_floats(x_, m * spec_.width);
  reserve_floats(angles_, m * angles_width_);
  reserve_floats(qkv_, m * qkv_width_);
  reserve_floats(projected_, m * spec_.width);
  normed_.resize(m, spec_.width);
  attended_.resize(m, spec_.q_width());
  const int64_t used = spec_.experts.used;
  const int64_t pairs = m * used;
  const int64_t ff = spec_.experts.count > 0 ? spec_.experts.width : spec_.ff_width;
  const int64_t ff_rows = spec_.experts.count > 0 ? pairs : m;
  reserve_floats(gate_up_, ff_rows * 2 * ff);
  activated_.resize(ff_rows, ff);
  if (spec_.experts.count == 0) return;
  reserve_floats(router_, m * spec_.experts.count);
  reserve_floats(pair_out_, pairs * spec_.width);
  chosen_.resize(static_cast<size_t>(pairs));
  chosen_weight_.resize(static_cast<size_t>(pairs));
  pair_of_.resize(static_cast<size_t>(pairs));
  pair_row_.resize(static_cast<size_t>(pairs));
  for (size_t i = pair_self_.size(); i < static_cast<size_t>(pairs); ++i)
    pair_self_.push_back(static_cast<int32_t>(i));
}

Result<void> Forward::run(std::span<const SequenceView> views, float* logits, const std::atomic<bool>* stop) {
  lay_out(views);
  if (rows_.empty()) return {};
  resize_buffers();
  for (size_t i = 0; i < phases_max_; ++i) next_[i].store(0, std::memory_order_relaxed);
  cancelled_ = false;
  live_ = &all_rows_;
  team_.run([&](int thread, int) {
    Worker worker{thread, 0};
    work(worker, logits, stop);
  });
  if (cancelled_) return Error{Code::kCancelled, "the forward pass was stopped", ""};
  return {};
}

void Forward::work(Worker& worker, float* logits, const std::atomic<bool>* stop) {
  const int64_t m = static_cast<int64_t>(rows_.size());
  split(worker, m, row_grain(m), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      embed_row(row);
      attention_input(0, row);
    }
    table_.quantize(normed_, begin, end);
  });
  for (size_t layer = 0; layer < spec_.layers.size(); ++layer) {
    const LayerWeights& w = weights_.layers[layer];
    project(worker, w.qkv, normed_, m, qkv_.as<float>());
    if (worker.thread == 0) {
      cancelled_ = stop != nullptr && stop->load(std::memory_order_relaxed);
      if (layer + 1 == spec_.layers.size()) live_ = &wanted_rows_;
    }
    split(worker, m, row_grain(m), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) attention_keys(layer, row);
    });
    const int64_t live = static_cast<int64_t>(live_->size());
    if (cancelled_ || live == 0) return;
    const std::vector<TokenRun>& runs = layer + 1 == spec_.layers.size() ? last_runs_ : runs_;
    split(worker, static_cast<int64_t>(runs.size()) * spec_.kv_heads, 1, [&](int64_t begin, int64_t) {
      attend(layer, runs[static_cast<size_t>(begin / spec_.kv_heads)],
             static_cast<int32_t>(begin % spec_.kv_heads), worker.thread);
    });
    if (table_.quantizes) {
      split(worker, live, row_grain(live),
            [&](int64_t begin, int64_t end) { table_.quantize(attended_, begin, end); });
    }
    project(worker, w.attention_output, attended_, live, projected_.as<float>());
    split(worker, live, row_grain(live), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) attention_output(layer, i);
      table_.quantize(normed_, begin, end);
    });
    if (spec_.layers[layer].experts) {
      experts(worker, layer, live);
    } else {
      feed_forward(worker, layer, live);
    }
    const bool last = layer + 1 == spec_.layers.size();
    split(worker, live, row_grain(live), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        feed_forward_output(layer, i);
        if (last) {
          const float* x = x_.as<float>() + (*live_)[static_cast<size_t>(i)] * int64_t{spec_.width};
          norm_into(weights_.output_norm, true, x, normed_, i);
        } else {
          attention_input(layer + 1, i);
        }
      }
      table_.quantize(normed_, begin, end);
    });
  }
  const int64_t wanted = static_cast<int64_t>(wanted_rows_.size());
  project(worker, weights_.head, normed_, wanted, logits);
  if (spec_.logit_soft_cap > 0) {
    split(worker, wanted, 1, [&](int64_t begin, int64_t) {
      table_.soft_cap(spec_.logit_soft_cap, spec_.vocabulary, logits + begin * spec_.vocabulary);
    });
  }
}

void Forward::embed_row(int64_t row) {
  const Row& token = rows_[static_cast<size_t>(row)];
  float* x = x_.as<float>() + row * spec_.width;
  table_.dequantize_row(weights_.embedding.type, weights_.embedding.rows, spec_.width, token.token, x);
  if (spec_.embedding_scale != 1) table_.scale(spec_.embedding_scale, spec_.width, x);
  float* angles = angles_.as<float>() + row * angles_width_;
  for (size_t i = 0; i < frequencies_.size(); ++i) {
    const int64_t half = static_cast<int64_t>(frequencies_[i].size());
    const float magnitude = static_cast<float>(spec_.rotaries[i].magnitude);
    rotary_angles(frequencies_[i], token.position, magnitude, angles, angles + half);
    angles += 2 * half;
  }
}

void Forward::norm_into(const std::vector<float>& weight, bool present, const float* x, ActivationBuffer& out,
                        int64_t row) const {
  if (present) {
    table_.rms_norm(x, weight.data(), spec_.norm_epsilon, spec_.width, out.row(row));
  } else {
    std::copy(x, x + spec_.width, out.row(row));
  }
}

void Forward::attention_input(size_t layer, int64_t row) {
  norm_into(weights_.layers[layer].attention_pre_norm, spec_.attention_pre_norm,
            x_.as<float>() + row * spec_.width, normed_, row);
}

void Forward::attention_keys(size_t layer, int64_t row) {
  const LayerWeights& w = weights_.layers[layer];
  const Row& token = rows_[static_cast<size_t>(row)];
  float* q = qkv_.as<float>() + row * qkv_width_;
  float* k = q + spec_.q_width();
  float* v = k + spec_.kv_width();
  if (!w.qkv.bias.empty()) table_.add(w.qkv.bias.data(), qkv_width_, q);
  if (spec_.qk_norm) {
    for (int32_t head = 0; head < spec_.heads; ++head) {
      float* x = q + int64_t{head} * spec_.head_dim;
      table_.rms_norm(x, w.q_norm.data(), spec_.norm_epsilon, spec_.head_dim, x);
    }
    for (int32_t head = 0; head < spec_.kv_heads; ++head) {
      float* x = k + int64_t{head} * spec_.head_dim;
      table_.rms_norm(x, w.k_norm.data(), spec_.norm_epsilon, spec_.head_dim, x);
    }
  }
  const int32_t which = spec_.layers[layer].rotary;
  if (which >= 0) {
    const float* angles = angles_.as<float>() + row * angles_width_;
    for (int32_t i = 0; i < which; ++i) angles += spec_.rotaries[static_cast<size_t>(i)].dim;
    const RotarySpec& rotary = spec_.rotaries[static_cast<size_t>(which)];
    const float* sin = angles + rotary.dim / 2;
    table_.rotate(q, spec_.heads, spec_.head_dim, rotary.dim, angles, sin, rotary.kind);
    table_.rotate(k, spec_.kv_heads, spec_.head_dim, rotary.dim, angles, sin, rotary.kind);
  }
  std::byte* part = token.page + static_cast<int64_t>(layer) * geometry_.layer_bytes();
  table_.kv_write(geometry_, part, token.position % kPageTokens, k, v);
}

void Forward::attend(size_t layer, const TokenRun& run, int32_t kv_head, int thread) {
  const int32_t group = spec_.heads / spec_.kv_heads;
  const int64_t head_offset = int64_t{kv_head} * group * spec_.head_dim;
  kernels::AttentionTask task;
  task.query = qkv_.as<float>() + run.row * qkv_width_ + head_offset;
  task.query_stride = qkv_width_;
  task.out = attended_.row(run.out) + head_offset;
  task.out_stride = spec_.q_width();
  task.pages = run.view->pages;
  task.layer_offset = static_cast<int64_t>(layer) * geometry_.layer_bytes();
  task.geometry = geometry_;
  task.kv_head = kv_head;
  task.heads = group;
  task.position = run.position;
  task.tokens = run.tokens;
  task.window = spec_.layers[layer].window;
  task.scale = spec_.attention_scale;
  task.soft_cap = spec_.attention_soft_cap;
  task.scratch = scratch_.as<float>() + thread * scratch_floats_;
  table_.attention(task);
}

// x += post_norm(projected + bias)
void Forward::add_residual(const std::vector<float>& post_norm, const std::vector<float>& bias,
                           int64_t live) {
  float* projected = projected_.as<float>() + live * spec_.width;
  float* x = x_.as<float>() + (*live_)[static_cast<size_t>(live)] * int64_t{spec_.width};
  if (!bias.empty()) table_.add(bias.data(), spec_.width, projected);
  if (!post_norm.empty()) {
    table_.rms_norm(projected, post_norm.data(), spec_.norm_epsilon, spec_.width, projected);
  }
  table_.add(projected, spec_.width, x);
}

void Forward::attention_output(size_t layer, int64_t live) {
  const LayerWeights& w = weights_.layers[layer];
  add_residual(w.attention_post_norm, w.attention_output.bias, live);
  const float* x = x_.as<float>() + (*live_)[static_cast<size_t>(live)] * int64_t{spec_.width};
  norm_into(w.ff_pre_norm, spec_.ff_pre_norm, x, normed_, live);
}

void Forward::feed_forward_output(size_t layer, int64_t live) {
  const LayerWeights& w = weights_.layers[layer];
  if (spec_.layers[layer].experts) {
    // The experts' outputs in the order of their rank, whatever else is in the batch.
    const int32_t used = spec_.experts.used;
    float* sum = projected_.as<float>() + live * spec_.width;
    std::fill(sum, sum + spec_.width, 0.0f);
    for (int64_t i = live * used; i < (live + 1) * used; ++i) {
      const int64_t pair = pair_of_[static_cast<size_t>(i)];
      table_.add_scaled(pair_out_.as<float>() + pair * spec_.width, chosen_weight_[static_cast<size_t>(i)],
                        spec_.width, sum);
    }
  }
  add_residual(w.ff_post_norm, w.down.bias, live);
}

void Forward::feed_forward(Worker& worker, size_t layer, int64_t live) {
  const LayerWeights& w = weights_.layers[layer];
  const int64_t ff = spec_.ff_width;
  project(worker, w.gate_up, normed_, live, gate_up_.as<float>());
  split(worker, live, row_grain(live), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float* gate = gate_up_.as<float>() + i * 2 * ff;
      if (!w.gate_up.bias.empty()) table_.add(w.gate_up.bias.data(), 2 * ff, gate);
      table_.gated(gate, gate + ff, ff, spec_.activation, activated_.row(i));
    }
    table_.quantize(activated_, begin, end);
  });
  project(worker, w.down, activated_, live, projected_.as<float>());
}

void Forward::choose_experts(int64_t live) {
  const int32_t count = spec_.experts.count, used = spec_.experts.used;
  float* score = router_.as<float>() + live * count;
  table_.softmax(count, score);
  int32_t* chosen = chosen_.data() + live * used;
  float* weight = chosen_weight_.data() + live * used;
  float sum = 0;
  for (int32_t rank = 0; rank < used; ++rank) {
    int32_t best = -1;
    for (int32_t e = 0; e < count; ++e) {  // the lower index wins a tie
      const bool taken = std::find(chosen, chosen + rank, e) != chosen + rank;
      if (!taken && (best < 0 || score[e] > score[best])) best = e;
    }
    chosen[rank] = best;
    weight[rank] = score[best];
    sum += score[best];
  }
  for (int32_t rank = 0; spec_.experts.normalize && rank < used; ++rank) weight[rank] /= sum;
}

void Forward::group_by_expert(int64_t live) {
  const int64_t used = spec_.experts.used;
  std::vector<int64_t> begin(static_cast<size_t>(spec_.experts.count) + 1, 0);
  for (int64_t i = 0; i < live * used; ++i) ++begin[static_cast<size_t>(chosen_[static_cast<size_t>(i)]) + 1];
  expert_runs_.clear();
  for (size_t e = 0; e + 1 < begin.size(); ++e) {
    if (begin[e + 1] > 0) expert_runs_.push_back({static_cast<int32_t>(e), begin[e], begin[e + 1]});
    begin[e + 1] += begin[e];
  }
  for (int64_t i = 0; i < live * used; ++i) {
    const int64_t pair = begin[static_cast<size_t>(chosen_[static_cast<size_t>(i)])]++;
    pair_of_[static_cast<size_t>(i)] = static_cast<int32_t>(pair);
    pair_row_[static_cast<size_t>(pair)] = static_cast<int32_t>(i / used);
  }
}

void Forward::experts(Worker& worker, size_t layer, int64_t live) {
  const LayerWeights& w = weights_.layers[layer];
  const int64_t ff = spec_.experts.width, pairs = live * spec_.experts.used;
  project(worker, w.router, normed_, live, router_.as<float>());
  split(worker, live, row_grain(live), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) choose_experts(i);
  });
  split(worker, 1, 1, [&](int64_t, int64_t) { group_by_expert(live); });

  // One piece of work is a panel of one expert, for all tokens that go through it.
  const auto each_expert = [&](const std::vector<Projection>& projections, const ActivationBuffer& x,
                               const std::vector<int32_t>& index, float* y) {
    const int64_t panels = projections[0].panels(), stride = projections[0].rows();
    const int64_t pieces = panels * static_cast<int64_t>(expert_runs_.size());
    const int64_t grain = std::clamp<int64_t>(pieces / (team_.threads() * kPiecesPerThread), 1, panels);
    split(worker, pieces, grain, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        const ExpertRun& run = expert_runs_[static_cast<size_t>(begin / panels)];
        const int64_t stop = std::min(end, (begin / panels + 1) * panels);
        for_parts(projections[static_cast<size_t>(run.expert)], begin % panels, (stop - 1) % panels + 1,
                  [&](const kernels::PackedMatrix& part, int64_t row, int64_t first, int64_t last) {
                    table_.matmul(part, x, index.data() + run.begin, run.count, y + run.begin * stride + row,
                                  stride, first, last);
                  });
        begin = stop;
      }
    });
  };
  each_expert(w.expert_gate_up, normed_, pair_row_, gate_up_.as<float>());
  split(worker, pairs, row_grain(pairs), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* gate = gate_up_.as<float>() + i * 2 * ff;
      table_.gated(gate, gate + ff, ff, spec_.activation, activated_.row(i));
    }
    table_.quantize(activated_, begin, end);
  });
  each_expert(w.expert_down, activated_, pair_self_, pair_out_.as<float>());
}

}  // namespace ondol::model
