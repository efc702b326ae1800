// Continuous batching over one Runner. One thread owns all mutable state: it admits jobs, forms a Batch
// per step (decodes first, then chunks of prompts, oldest first), runs it, samples, and calls the sinks.
// When pages run out the youngest sequence is paused: its pages are dropped and recomputed later, with
// the same tokens (design: invariant 1).
// Threads: submit(), cancel(), stats(), stop() from any thread; sinks are called on the scheduler's thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/runner/runner.h"
#include "core/sampling/sampler.h"
#include "core/scheduler/step_stats.h"

namespace ondol {

enum class FinishCause : uint8_t { kStopped, kLength, kCancelled, kError };
enum class Verdict : uint8_t { kContinue, kStop };

// Receives what a job produces. Calls come from the scheduler's thread, in order, none after the last
// on_finish of the last choice.
class TokenSink {
 public:
  virtual ~TokenSink() = default;
  // A token was picked. kStop ends this choice (end of generation, or a stop string).
  virtual Verdict on_token(int32_t choice, const Pick& pick) = 0;
  virtual void on_finish(int32_t choice, FinishCause cause, const Error& error) = 0;
  // Milliseconds so far; called before the first on_token and before each on_finish.
  virtual void on_times(double queue_ms, double prefill_ms, double decode_ms) = 0;
};

struct JobRequest {
  std::vector<TokenId> prompt;  // at least one token
  SamplingOptions sampling;
  int64_t tokens_max = 0;  // per choice, at least 1; prompt + tokens_max fits the context
  int32_t choices = 1;
  std::shared_ptr<TokenSink> sink;  // shared with the consumer, which may outlive the job or leave before it
};

struct SchedulerOptions {
  int32_t prefill_chunk = 512;  // prompt tokens in one step
  int32_t sequences_max = 64;   // running at once, choices counted
  int32_t queue_max = 256;      // jobs waiting at most
};

class Scheduler {
 public:
  using JobId = uint64_t;

  // `runner` is used by the scheduler's thread only and must outlive it.
  Scheduler(Runner& runner, const SchedulerOptions& options, const Clock& clock);
  ~Scheduler();

  // kResourceExhausted: the queue is full. kUnavailable: stopping, or the runner failed for good.
  Result<JobId> submit(JobRequest request);
  void cancel(JobId job);
  // Refuses new jobs, lets running ones go on for `grace_ms`, cancels the rest, joins the thread.
  void stop(int64_t grace_ms);
  StepStats stats() const;
  // Set once the runner failed in a way that no later request can survive (kDataLoss, kIo).
  std::optional<Error> failure() const;

 private:
  struct Job;
  // One choice of a job: a sequence that grows. `tokens` is prompt and answer; the first `computed` of
  // them are in the KV cache of `sequence`.
  struct Track {
    std::shared_ptr<Job> job;
    int32_t choice = 0;
    std::vector<TokenId> tokens;
    SequenceId sequence = -1;
    int32_t computed = 0;
    int64_t last_token_ns = 0;
    bool finished = false;
    int32_t pending() const { return static_cast<int32_t>(tokens.size()) - computed; }
  };
  struct Planned {
    Track* track;
    int32_t count;
    bool wants_logits;
  };

  void loop();
  void take_arrivals();
  void drop_cancelled();
  void admit();
  std::vector<Planned> plan();
  bool reserve(const Track& track, int32_t count, int64_t& pages_left) const;
  void pause_youngest();
  void step(const std::vector<Planned>& plan);
  void after_logits(Track& track, std::span<const float> logits);
  void give_token(Track& track, std::span<const float> logits);
  void finish(Track& track, FinishCause cause, const Error& error);
  void fail_planned(const std::vector<Planned>& plan, const Error& error);
  void release(Track& track);
  void remove_finished();

  Runner& runner_;
  const SchedulerOptions options_;
  const Clock& clock_;

  // Shared, under mutex_.
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Job>> arrivals_;
  std::vector<std::weak_ptr<Job>> known_jobs_;
  int64_t waiting_ = 0;
  JobId next_id_ = 1;
  bool stopping_ = false;
  bool cancel_all_ = false;
  bool cancel_seen_ = false;
  std::optional<Error> failure_;
  StepStats stats_;

  std::atomic<bool> abort_{false};  // ends a running batch between two layers

  // The scheduler thread's own.
  std::deque<std::shared_ptr<Job>> waiting_jobs_;
  std::deque<std::unique_ptr<Track>> paused_;
  std::vector<std::unique_ptr<Track>> running_;  // oldest first

  std::thread thread_;
};

}  // namespace ondol
