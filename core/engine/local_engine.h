// The Engine of this process: one model, loaded on a thread of its own, served by one Scheduler.
// Threads: any thread may call any method; see engine.h.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/base/clock.h"
#include "core/engine/engine.h"
#include "core/engine/prepare.h"
#include "core/scheduler/scheduler.h"

namespace ondol {

class LocalEngine : public Engine {
 public:
  // Reports progress 0…1 and returns false when loading should be given up.
  using Progress = std::function<bool(double)>;
  using Loader = std::function<Result<ModelParts>(const Progress&)>;

  // `info` carries id, path and file time; the rest is filled in as it becomes known.
  LocalEngine(EngineInfo info, const SchedulerOptions& options, Loader loader, const Clock& clock);
  ~LocalEngine() override;

  Result<std::unique_ptr<TokenStream>> submit(Request request) override;
  Result<std::vector<TokenId>> tokenize(const std::string& text, bool add_special,
                                        bool parse_special) const override;
  Result<std::string> detokenize(const std::vector<TokenId>& ids) const override;
  Result<std::string> token_bytes(TokenId id) const override;
  Result<std::string> render(const ChatPrompt& prompt) const override;
  EngineInfo info() const override;
  EngineStats stats() const override;
  void stop(int64_t grace_ms) override;

 private:
  void load(const Loader& loader);
  // The model, once ready; kUnavailable with the reason before and after.
  Result<const ModelParts*> ready() const;

  const SchedulerOptions options_;
  const Clock& clock_;
  mutable std::mutex mutex_;  // guards info_, and the moment when model_ and scheduler_ appear
  EngineInfo info_;
  ModelParts model_;  // immutable once info_.state is kReady
  std::shared_ptr<Scheduler> scheduler_;
  std::mutex join_mutex_;
  std::thread loader_thread_;
};

}  // namespace ondol
