#include "core/scheduler/scheduler.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ondol {
namespace {

// How long stop() waits for the thread between looks at the clock.
constexpr auto kStopPoll = std::chrono::milliseconds(20);

double seconds(int64_t from_ns, int64_t to_ns) { return static_cast<double>(to_ns - from_ns) * 1e-9; }

}  // namespace

struct Scheduler::Job {
  JobId id = 0;
  JobRequest request;
  Sampler sampler;
  std::atomic<bool> cancelled{false};
  // The scheduler thread's own.
  int64_t submitted_ns = 0, admitted_ns = 0, first_token_ns = 0;
  int32_t choices_left = 0;

  Job(JobId job_id, JobRequest job_request, int64_t now_ns)
      : id(job_id),
        request(std::move(job_request)),
        sampler(request.sampling),
        submitted_ns(now_ns),
        choices_left(request.choices) {}
};

Scheduler::Scheduler(Runner& runner, const SchedulerOptions& options, const Clock& clock)
    : runner_(runner), options_(options), clock_(clock), thread_([this] { loop(); }) {}

Scheduler::~Scheduler() { stop(0); }

Result<Scheduler::JobId> Scheduler::submit(JobRequest request) {
  CHECK(!request.prompt.empty() && request.tokens_max >= 1 && request.choices >= 1 && request.sink);
  std::lock_guard lock(mutex_);
  if (failure_) return Error{Code::kUnavailable, "the model stopped: " + failure_->text(), "model"};
  if (stopping_) return Error{Code::kUnavailable, "the server is stopping", ""};
  if (waiting_ >= options_.queue_max) {
    ++stats_.requests_rejected_total;
    return Error{Code::kResourceExhausted,
                 "the queue is full: " + std::to_string(waiting_) + " requests are waiting, at most " +
                     std::to_string(options_.queue_max) + " may",
                 ""};
  }
  auto job = std::make_shared<Job>(next_id_++, std::move(request), clock_.now_ns());
  arrivals_.push_back(job);
  known_jobs_.push_back(job);
  ++waiting_;
  ++stats_.requests_total;
  wake_.notify_all();
  return job->id;
}

void Scheduler::cancel(JobId id) {
  std::lock_guard lock(mutex_);
  for (const auto& known : known_jobs_) {
    if (auto job = known.lock(); job && job->id == id) {
      job->cancelled = true;
      cancel_seen_ = true;
      wake_.notify_all();
    }
  }
}

void Scheduler::stop(int64_t grace_ms) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  wake_.notify_all();
  const int64_t deadline_ns = clock_.now_ns() + grace_ms * 1'000'000;
  while ((stats_.running > 0 || waiting_ > 0) && clock_.now_ns() < deadline_ns)
    wake_.wait_for(lock, kStopPoll);
  cancel_all_ = true;
  abort_ = true;
  wake_.notify_all();
  lock.unlock();
  if (thread_.joinable()) thread_.join();
}

StepStats Scheduler::stats() const {
  std::lock_guard lock(mutex_);
  StepStats stats = stats_;
  stats.waiting = waiting_;
  return stats;
}

std::optional<Error> Scheduler::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

// One pass is one step: take what arrived, drop what was cancelled, admit, form a batch, run it.
void Scheduler::loop() {
  for (;;) {
    take_arrivals();
    drop_cancelled();
    admit();
    remove_finished();
    {
      std::unique_lock lock(mutex_);
      if (cancel_all_ && running_.empty() && paused_.empty() && waiting_jobs_.empty() && arrivals_.empty())
        return;
      if (running_.empty() && arrivals_.empty() && !cancel_seen_ && !cancel_all_) {
        wake_.wait_for(lock, std::chrono::milliseconds(500));
        continue;
      }
      if (running_.empty()) continue;
    }
    step(plan());
    remove_finished();
  }
}

void Scheduler::take_arrivals() {
  std::lock_guard lock(mutex_);
  for (auto& job : arrivals_) waiting_jobs_.push_back(std::move(job));
  arrivals_.clear();
  std::erase_if(known_jobs_, [](const auto& known) { return known.expired(); });
  if (cancel_all_)
    for (const auto& known : known_jobs_)
      if (auto job = known.lock()) job->cancelled = true;
  cancel_seen_ = false;
}

void Scheduler::drop_cancelled() {
  const Error gone{Code::kCancelled, "the request was cancelled", ""};
  for (auto& track : running_)
    if (!track->finished && track->job->cancelled) finish(*track, FinishCause::kCancelled, gone);
  for (auto& track : paused_)
    if (!track->finished && track->job->cancelled) finish(*track, FinishCause::kCancelled, gone);
  for (auto& job : waiting_jobs_) {
    if (!job->cancelled) continue;
    for (int32_t choice = 0; choice < job->request.choices; ++choice)
      job->request.sink->on_finish(choice, FinishCause::kCancelled, gone);
    std::lock_guard lock(mutex_);
    --waiting_;
    ++stats_.requests_cancelled_total;
  }
  std::erase_if(waiting_jobs_, [](const auto& job) { return job->cancelled.load(); });
}

// Paused sequences first, then jobs in order of arrival. A job needs pages for its whole prompt and one more
// token; with nothing running the first one is always let in (its prompt fits the pool: the engine checked).
void Scheduler::admit() {
  int64_t pages_left = runner_.pages_free();
  for (const auto& track : running_)
    if (!track->finished && track->pending() > 1) reserve(*track, track->pending(), pages_left);

  std::erase_if(paused_, [](const auto& track) { return track->finished; });
  while (!paused_.empty()) {
    Track& track = *paused_.front();
    if (!reserve(track, track.pending() + 1, pages_left) && !running_.empty()) return;
    track.sequence = runner_.open_sequence();
    running_.push_back(std::move(paused_.front()));
    paused_.pop_front();
  }
  while (!waiting_jobs_.empty()) {
    auto& job = waiting_jobs_.front();
    const size_t choices = static_cast<size_t>(job->request.choices);
    if (!running_.empty() && running_.size() + choices > static_cast<size_t>(options_.sequences_max)) return;
    auto track = std::make_unique<Track>();
    track->job = job;
    track->tokens = job->request.prompt;
    if (!reserve(*track, track->pending() + 1, pages_left) && !running_.empty()) return;
    job->admitted_ns = clock_.now_ns();
    track->sequence = runner_.open_sequence();
    running_.push_back(std::move(track));
    {
      std::lock_guard lock(mutex_);
      --waiting_;
      stats_.prompt_tokens_total += job->request.prompt.size();
      stats_.queue.add(seconds(job->submitted_ns, job->admitted_ns));
      stats_.running = static_cast<int64_t>(running_.size());
    }
    waiting_jobs_.pop_front();
  }
}

bool Scheduler::reserve(const Track& track, int32_t count, int64_t& pages_left) const {
  const int32_t length = track.computed + count;
  const int64_t pages = track.sequence >= 0
                            ? runner_.pages_needed(track.sequence, length)
                            : (length + runner_.info().page_tokens - 1) / runner_.info().page_tokens;
  if (pages > pages_left) return false;
  pages_left -= pages;
  return true;
}

std::vector<Scheduler::Planned> Scheduler::plan() {
  for (;;) {
    std::vector<Planned> plan;
    int64_t pages_left = runner_.pages_free();
    int32_t budget = options_.prefill_chunk;
    bool short_of_pages = false;
    for (auto& track : running_) {
      if (track->finished || track->pending() != 1) continue;
      if (!reserve(*track, 1, pages_left)) {
        short_of_pages = true;
        break;
      }
      plan.push_back({track.get(), 1, true});
    }
    for (auto& track : running_) {
      if (short_of_pages || track->finished || track->pending() == 1 || budget == 0) continue;
      const int32_t count = std::min(track->pending(), budget);
      if (!reserve(*track, count, pages_left)) {
        short_of_pages = plan.empty();
        break;
      }
      budget -= count;
      plan.push_back({track.get(), count, count == track->pending()});
    }
    if (!short_of_pages) return plan;
    if (running_.size() == 1) return {{running_.front().get(), 1, false}};  // the run reports the shortage
    pause_youngest();
  }
}

void Scheduler::pause_youngest() {
  auto youngest = std::move(running_.back());
  running_.pop_back();
  release(*youngest);
  youngest->computed = 0;
  paused_.push_front(std::move(youngest));
  std::lock_guard lock(mutex_);
  ++stats_.pauses_total;
}

void Scheduler::step(const std::vector<Planned>& plan) {
  if (plan.empty()) return;
  Batch batch;
  bool decodes_only = true;
  for (const Planned& planned : plan) {
    const Track& track = *planned.track;
    BatchItem item;
    item.sequence = track.sequence;
    item.position = track.computed;
    item.tokens.assign(track.tokens.begin() + track.computed,
                       track.tokens.begin() + track.computed + planned.count);
    if (planned.wants_logits) item.logits_rows.push_back(planned.count - 1);
    decodes_only &= planned.count == 1;
    batch.items.push_back(std::move(item));
  }
  BatchLogits logits;
  const int64_t started_ns = clock_.now_ns();
  const Result<void> ran = runner_.run(batch, logits, &abort_);
  {
    std::lock_guard lock(mutex_);
    ++stats_.steps_total;
    (decodes_only ? stats_.decode_seconds_total : stats_.prefill_seconds_total) +=
        seconds(started_ns, clock_.now_ns());
  }
  if (!ran) return fail_planned(plan, ran.error());

  for (const Planned& planned : plan) planned.track->computed += planned.count;
  int64_t row = 0;
  for (const Planned& planned : plan)
    if (planned.wants_logits) after_logits(*planned.track, logits.row(row++));
}

// The prompt of a job with several choices is computed once; the others fork from it and draw from the
// same logits. `track` is the first choice then.
void Scheduler::after_logits(Track& track, std::span<const float> logits) {
  Job& job = *track.job;
  if (job.first_token_ns == 0) {
    job.first_token_ns = clock_.now_ns();
    job.request.sink->on_times(seconds(job.submitted_ns, job.admitted_ns) * 1e3,
                               seconds(job.admitted_ns, job.first_token_ns) * 1e3, 0);
    {
      std::lock_guard lock(mutex_);
      stats_.ttft.add(seconds(job.submitted_ns, job.first_token_ns));
    }
    for (int32_t choice = 1; choice < job.request.choices; ++choice) {
      auto sibling = std::make_unique<Track>();
      sibling->job = track.job;
      sibling->choice = choice;
      sibling->tokens = track.tokens;
      if (auto forked = runner_.fork_sequence(track.sequence, track.computed)) {
        sibling->sequence = *forked;
        sibling->computed = track.computed;
      } else {  // no page for the copy: recompute
        sibling->sequence = runner_.open_sequence();
      }
      give_token(*sibling, logits);
      running_.push_back(std::move(sibling));
    }
  }
  give_token(track, logits);
}

void Scheduler::give_token(Track& track, std::span<const float> logits) {
  Job& job = *track.job;
  const std::span<const TokenId> tokens(track.tokens);
  const size_t prompt = job.request.prompt.size();
  auto pick = job.sampler.pick(logits, tokens.first(prompt), tokens.subspan(prompt),
                               static_cast<uint32_t>(track.choice));
  if (!pick) return finish(track, FinishCause::kError, pick.error());
  const int64_t now_ns = clock_.now_ns();
  {
    std::lock_guard lock(mutex_);
    ++stats_.generated_tokens_total;
    if (track.last_token_ns != 0) stats_.itl.add(seconds(track.last_token_ns, now_ns));
  }
  track.last_token_ns = now_ns;
  track.tokens.push_back(pick->id);
  if (job.request.sink->on_token(track.choice, *pick) == Verdict::kStop)
    return finish(track, FinishCause::kStopped, {});
  if (static_cast<int64_t>(track.tokens.size() - prompt) >= job.request.tokens_max)
    return finish(track, FinishCause::kLength, {});
}

void Scheduler::finish(Track& track, FinishCause cause, const Error& error) {
  track.finished = true;
  release(track);
  Job& job = *track.job;
  const int64_t now_ns = clock_.now_ns();
  // A job that ends before its prompt is computed ends with all its choices.
  const bool before_first = job.first_token_ns == 0;
  const int32_t ended = before_first ? job.request.choices : 1;
  job.choices_left -= ended;
  {
    std::lock_guard lock(mutex_);
    if (cause == FinishCause::kStopped) ++stats_.finished_stop_total;
    if (cause == FinishCause::kLength) ++stats_.finished_length_total;
    if (job.choices_left == 0) {
      if (cause == FinishCause::kCancelled) ++stats_.requests_cancelled_total;
      if (cause == FinishCause::kError) ++stats_.requests_failed_total;
      stats_.e2e.add(seconds(job.submitted_ns, now_ns));
    }
  }
  const int64_t first_ns = before_first ? now_ns : job.first_token_ns;
  job.request.sink->on_times(seconds(job.submitted_ns, job.admitted_ns) * 1e3,
                             seconds(job.admitted_ns, first_ns) * 1e3, seconds(first_ns, now_ns) * 1e3);
  for (int32_t i = 0; i < ended; ++i) job.request.sink->on_finish(track.choice + i, cause, error);
}

// A batch that failed ends the requests in it, not the server; but a model whose file is gone stays failed.
void Scheduler::fail_planned(const std::vector<Planned>& plan, const Error& error) {
  if (error.code == Code::kCancelled) return;  // stop() aborted the batch; the next pass cancels everything
  if (error.code == Code::kResourceExhausted && running_.size() > 1) return pause_youngest();
  for (const Planned& planned : plan) finish(*planned.track, FinishCause::kError, error);
  if (error.code == Code::kDataLoss || error.code == Code::kIo) {
    std::lock_guard lock(mutex_);
    failure_ = error;
    cancel_all_ = true;
  }
}

void Scheduler::release(Track& track) {
  if (track.sequence >= 0) runner_.close_sequence(track.sequence);
  track.sequence = -1;
}

void Scheduler::remove_finished() {
  std::erase_if(running_, [](const auto& track) { return track->finished; });
  std::erase_if(paused_, [](const auto& track) { return track->finished; });
  std::lock_guard lock(mutex_);
  stats_.running = static_cast<int64_t>(running_.size() + paused_.size());
  if (stats_.running == 0 && waiting_ == 0) wake_.notify_all();
}

}  // namespace ondol
