#include "core/engine/local_engine.h"

#include <cmath>
#include <utility>

#include "core/engine/request_sink.h"

namespace ondol {
namespace {

class LocalStream : public TokenStream {
 public:
  LocalStream(std::shared_ptr<RequestSink> sink, std::weak_ptr<Scheduler> scheduler, Scheduler::JobId job)
      : sink_(std::move(sink)), scheduler_(std::move(scheduler)), job_(job) {}
  ~LocalStream() override {
    if (!done()) cancel();
  }
  std::optional<StreamEvent> next(int64_t timeout_ms) override { return sink_->events().pop(timeout_ms); }
  bool done() const override { return sink_->events().drained(); }
  void cancel() override {
    if (auto scheduler = scheduler_.lock()) scheduler->cancel(job_);
  }
  Usage usage() const override { return sink_->events().usage(); }

 private:
  std::shared_ptr<RequestSink> sink_;   // shared with the scheduler until the job ends
  std::weak_ptr<Scheduler> scheduler_;  // the stream may outlive its engine
  Scheduler::JobId job_;
};

}  // namespace

LocalEngine::LocalEngine(EngineInfo info, const SchedulerOptions& options, Loader loader, const Clock& clock)
    : options_(options), clock_(clock), info_(std::move(info)) {
  loader_thread_ = std::thread([this, loader = std::move(loader)] { load(loader); });
}

LocalEngine::~LocalEngine() { stop(0); }

void LocalEngine::load(const Loader& loader) {
  auto loaded = loader([this](double progress) {
    std::lock_guard lock(mutex_);
    info_.load_progress = progress;
    return info_.state != EngineState::kStopping;
  });
  std::lock_guard lock(mutex_);
  if (info_.state == EngineState::kStopping) return;
  if (!loaded) {
    info_.state = EngineState::kFailed;
    info_.failure = loaded.error().text();
    return;
  }
  model_ = std::move(*loaded);
  info_.runner = model_.runner->info();
  info_.chat_template_origin =
      model_.chat_template ? model_.chat_template->origin() : "none: " + model_.chat_template_error;
  info_.fallbacks = model_.fallbacks;
  info_.load_progress = 1;
  scheduler_ = std::make_shared<Scheduler>(*model_.runner, options_, clock_);
  info_.state = EngineState::kReady;
}

Result<const ModelParts*> LocalEngine::ready() const {
  std::lock_guard lock(mutex_);
  switch (info_.state) {
    case EngineState::kReady: return &model_;
    case EngineState::kLoading:
      return Error{
          Code::kUnavailable,
          "the model is still loading (" + std::to_string(std::lround(info_.load_progress * 100)) + " %)",
          ""};
    case EngineState::kFailed:
      return Error{Code::kUnavailable, "the model could not be loaded: " + info_.failure, ""};
    case EngineState::kStopping: break;
  }
  return Error{Code::kUnavailable, "the server is stopping", ""};
}

Result<std::unique_ptr<TokenStream>> LocalEngine::submit(Request request) {
  ONDOL_TRY(const ModelParts* model, ready());
  ONDOL_TRY(Prepared prepared, prepare(request, *model));
  const int64_t prompt_tokens = static_cast<int64_t>(prepared.job.prompt.size());
  auto sink = std::make_shared<RequestSink>(request, *model->tokenizer, prepared.splitter, prompt_tokens);
  if (request.echo) {
    for (int32_t choice = 0; choice < request.n; ++choice) {
      StreamEvent event;
      event.choice = choice;
      event.text = to_valid_utf8(prepared.prompt_text);
      sink->events().push(std::move(event));
    }
  }
  prepared.job.sink = sink;
  std::shared_ptr<Scheduler> scheduler;
  {
    std::lock_guard lock(mutex_);
    scheduler = scheduler_;
  }
  ONDOL_TRY(const Scheduler::JobId job, scheduler->submit(std::move(prepared.job)));
  return std::unique_ptr<TokenStream>(std::make_unique<LocalStream>(std::move(sink), scheduler, job));
}

Result<std::vector<TokenId>> LocalEngine::tokenize(const std::string& text, bool add_special,
                                                   bool parse_special) const {
  ONDOL_TRY(const ModelParts* model, ready());
  auto ids = model->tokenizer->encode(text, parse_special);
  if (add_special) begin_with_bos(*model->tokenizer, ids);
  return ids;
}

Result<std::string> LocalEngine::detokenize(const std::vector<TokenId>& ids) const {
  ONDOL_TRY(const ModelParts* model, ready());
  for (TokenId id : ids)
    if (id < 0 || id >= model->tokenizer->size())
      return Error{Code::kInvalidArgument, "token " + std::to_string(id) + " is not in the vocabulary",
                   "tokens"};
  return model->tokenizer->decode(ids, true);
}

Result<std::string> LocalEngine::token_bytes(TokenId id) const {
  ONDOL_TRY(const ModelParts* model, ready());
  if (id < 0 || id >= model->tokenizer->size())
    return Error{Code::kInvalidArgument, "token " + std::to_string(id) + " is not in the vocabulary",
                 "tokens"};
  return model->tokenizer->piece(id, true);
}

Result<std::string> LocalEngine::render(const ChatPrompt& prompt) const {
  ONDOL_TRY(const ModelParts* model, ready());
  ONDOL_TRY(const chat::Rendered rendered, render_chat(prompt, *model));
  return rendered.text();
}

EngineInfo LocalEngine::info() const {
  std::lock_guard lock(mutex_);
  EngineInfo info = info_;
  if (info.state == EngineState::kReady) {
    if (auto failure = scheduler_->failure()) {
      info.state = EngineState::kFailed;
      info.failure = failure->text();
    }
  }
  return info;
}

EngineStats LocalEngine::stats() const {
  std::lock_guard lock(mutex_);
  EngineStats stats;
  if (!scheduler_) return stats;
  static_cast<StepStats&>(stats) = scheduler_->stats();
  stats.pages_total = info_.runner.pages_total;
  stats.pages_used = stats.pages_total - model_.runner->pages_free();
  return stats;
}

void LocalEngine::stop(int64_t grace_ms) {
  std::shared_ptr<Scheduler> scheduler;
  {
    std::lock_guard lock(mutex_);
    if (info_.state != EngineState::kFailed) info_.state = EngineState::kStopping;
    scheduler = scheduler_;
  }
  if (scheduler) scheduler->stop(grace_ms);
  std::lock_guard lock(join_mutex_);  // stop() may come from several threads
  if (loader_thread_.joinable()) loader_thread_.join();
}

}  // namespace ondol
