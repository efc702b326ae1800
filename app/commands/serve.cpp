// ondol serve: bind, then load, then answer until a signal comes.
#include "app/commands/serve.h"

#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include "app/api/server_log.h"
#include "app/api/service.h"
#include "app/commands/command_line.h"
#include "app/commands/model_argument.h"
#include "app/commands/model_options.h"
#include "app/commands/signals.h"
#include "app/commands/version.h"
#include "core/base/clock.h"
#include "core/tokenizer/tokenizer.h"
#include "kernels/cpu/dispatch.h"

namespace ondol::commands {
namespace {

using api::LogLevel;

constexpr int64_t kWatchMs = 20;
constexpr int kGraceMax_s = 3600;
constexpr int kContextMax = 1 << 20;
constexpr rlim_t kDescriptorsWanted = 65536;

struct ServeFlags {
  std::vector<std::string> models;
  std::vector<std::string> listen = {"127.0.0.1:8484"};
  std::vector<std::string> hosts, origins;
  bool insecure_http = false;
  int queue = 256;
  int parallel = 64;
  int kv_mib = 0;
  int grace_s = 10;
  int context = 0;
  std::string log_level = "info";
  std::string log_file;
  ModelOptions model_options;
};

void add_flags(CLI::App& app, ServeFlags& flags) {
  app.add_option("--model,-m", flags.models, "a GGUF file, or NAME=FILE; may be repeated")
      ->required()
      ->allow_extra_args(false);
  app.add_option("--listen,-l", flags.listen,
                 "HOST:PORT, [V6]:PORT, localhost:PORT or unix:/path; HOST is numeric; port 0 takes a free "
                 "one; may be repeated")
      ->allow_extra_args(false)
      ->capture_default_str();
  app.add_option("--allow-host", flags.hosts, "another name that this server may be reached by")
      ->allow_extra_args(false);
  app.add_option("--allow-origin", flags.origins, "pages of this origin may call (https://chat.example)")
      ->allow_extra_args(false);
  app.add_flag("--insecure-http", flags.insecure_http,
               "listen beyond this machine, without encryption and without accounts");
  app.add_option("--queue", flags.queue, "requests that may wait, a model")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--parallel", flags.parallel, "requests computed at once, a model")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--kv-mib", flags.kv_mib, "memory for keys and values, a model; 0: a share of what is free")
      ->check(CLI::Range(0, 1 << 24))
      ->capture_default_str();
  app.add_option("--grace", flags.grace_s, "seconds that running answers have when the server is stopped")
      ->check(CLI::Range(0, kGraceMax_s))
      ->capture_default_str();
  app.add_option("--ctx", flags.context, "tokens a request may have; 0: as trained, or what fits")
      ->check(CLI::Range(0, kContextMax))
      ->capture_default_str();
  app.add_option("--log-level", flags.log_level,
                 "the least that is logged; debug adds health checks and scrapes")
      ->check(CLI::IsMember({"debug", "info", "warn", "error", "off"}))
      ->capture_default_str();
  app.add_option("--log-file", flags.log_file,
                 "appends the log to this file instead of standard error; SIGHUP opens it anew");
  add_model_options(app, flags.model_options);
  app.get_option("--isa")->envname("ONDOL_ISA");
}

Result<std::vector<api::ListenAddress>> addresses_of(const ServeFlags& flags) {
  std::vector<api::ListenAddress> out;
  for (const std::string& text : flags.listen) {
    ONDOL_TRY(const auto parsed, api::parse_listen(text));
    out.insert(out.end(), parsed.begin(), parsed.end());
  }
  for (const api::ListenAddress& address : out) {
    if (!address.loopback() && !flags.insecure_http)
      return Error{
          Code::kInvalidArgument,
          address.url() +
              " can be reached from other machines, and there would be no encryption and no accounts; "
              "--insecure-http says that this is meant",
          "--listen"};
  }
  return out;
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kDescriptorsWanted));
  setrlimit(RLIMIT_NOFILE, &limit);
}

int wrong_usage(const std::string& message) {
  std::fprintf(stderr, "ondol serve: %s\nsee: ondol serve --help\n", to_valid_utf8(message).c_str());
  return kExitUsage;
}

EngineOptions engine_options(const ServeFlags& flags, const ModelArgument& model) {
  EngineOptions options;
  options.model_path = model.path;
  options.id = model.name;
  options.isa = flags.model_options.isa;
  options.kv_type = flags.model_options.kv_type;
  options.context = flags.context;
  options.threads = flags.model_options.threads;
  options.prefill_chunk = flags.model_options.prefill_chunk;
  options.kv_bytes_max = int64_t{flags.kv_mib} << 20;
  options.queue_max = flags.queue;
  options.sequences_max = flags.parallel;
  return options;
}

// Faults of options that would fail every model, found before any is opened. Empty: none.
std::string option_fault(const ServeFlags& flags) {
  const std::string& isa = flags.model_options.isa;
  if (!kernels::find_table(isa)) {
    std::string names = "auto";
    for (const kernels::KernelTable* table : kernels::available_tables())
      names += ", " + std::string(table->name);
    return "there are no kernels '" + isa + "' for this machine; there are: " + names;
  }
  const std::string& kv_type = flags.model_options.kv_type;
  if (kv_type != "auto" && kv_type != "f32" && kv_type != "f16" && kv_type != "bf16")
    return "--kv-type must be auto, f32, f16 or bf16, not '" + kv_type + "'";
  return "";
}

void say_failed(api::ServerLog& log, const std::string& id, const std::string& failure) {
  log.say(LogLevel::kError, "model '" + id + "' failed: " + failure);
}

// For the end of the program: told on standard error wherever the log goes.
Error none_left(const api::ModelRegistry& models) {
  std::string text = "no model is left";
  for (const api::ServedModel& model : models.all())
    text += "; '" + model.id + "': " + to_valid_utf8(model.info().failure);
  return {Code::kUnavailable, text, ""};
}

// Opens every model; a bad file is that model's fault alone, unless none is left.
Result<void> open_models(const ServeFlags& flags, const std::vector<ModelArgument>& arguments,
                         api::ModelRegistry& models, api::ServerLog& log) {
  bool any = false;
  for (const ModelArgument& argument : arguments) {
    auto engine = open_engine(engine_options(flags, argument));
    api::ServedModel model{argument.name, argument.path, nullptr, ""};
    if (engine) {
      model.engine = std::move(*engine);
      any = true;
    } else {
      model.failure = to_valid_utf8(engine.error().text());
      say_failed(log, model.id, model.failure);
    }
    models.add(std::move(model));
  }
  if (!any) return none_left(models);
  return {};
}

// Tells what happens to each model, as it happens.
class LoadReport {
 public:
  LoadReport(const api::ModelRegistry& models, api::ServerLog& log) : models_(models), log_(log) {
    for (const api::ServedModel& model : models.all())
      told_.push_back(model.engine ? EngineState::kLoading : EngineState::kFailed);
  }

  // False when every model has failed.
  bool look() {
    bool alive = false;
    for (size_t i = 0; i < told_.size(); ++i) {
      const EngineInfo info = models_.all()[i].info();
      alive = alive || info.state != EngineState::kFailed;
      if (told_[i] == info.state) continue;
      told_[i] = info.state;
      if (info.state == EngineState::kReady) tell_ready(info);
      if (info.state == EngineState::kFailed) say_failed(log_, info.id, info.failure);
    }
    return alive;
  }

 private:
  void tell_ready(const EngineInfo& info) {
    const RunnerInfo& runner = info.runner;
    log_.say(LogLevel::kInfo, "model '" + info.id + "' is ready: " + runner.architecture + ", context " +
                                  std::to_string(runner.context) +
                                  " (trained: " + std::to_string(runner.context_trained) +
                                  "), keys and values " + runner.kv_type + ", kernels " + runner.kernels +
                                  ", " + std::to_string(runner.threads) + " threads");
    for (const std::string& fallback : info.fallbacks)
      log_.say(LogLevel::kWarn, "model '" + info.id + "': " + fallback);
  }

  const api::ModelRegistry& models_;
  api::ServerLog& log_;
  std::vector<EngineState> told_;
};

// Running answers get their grace; a second signal ends everything at once.
void stop_gracefully(const ServeFlags& flags, const SignalWaiter& signals, const api::ModelRegistry& models,
                     api::Service& service, api::HttpServer& server, api::ServerLog& log) {
  constexpr int64_t kLastAnswersMs = 1000;  // from an engine's end to the client's
  const int64_t grace_ms = int64_t{flags.grace_s} * 1000;
  service.begin_stop();
  std::atomic<bool> done{false};
  std::thread worker([&] {
    std::vector<std::thread> stops;
    for (const api::ServedModel& model : models.all()) {
      if (model.engine) stops.emplace_back([&model, grace_ms] { model.engine->stop(grace_ms); });
    }
    for (std::thread& stop : stops) stop.join();
    server.stop(kLastAnswersMs);
    done = true;
  });
  while (!done) {
    if (const int signal = signals.wait(kWatchMs); signal == SIGTERM || signal == SIGINT) {
      log.say(LogLevel::kWarn, "a second signal: ending at once");
      std::this_thread::sleep_for(std::chrono::milliseconds(kWatchMs));  // for the log's thread
      _exit(kExitFailed);
    }
  }
  worker.join();
}

int serve(const ServeFlags& flags, std::vector<api::Listener> listeners,
          const std::vector<ModelArgument>& arguments) {
  const SignalWaiter signals{SIGTERM, SIGINT, SIGHUP};
  std::signal(SIGPIPE, SIG_IGN);
  raise_descriptor_limit();
  const auto opened_log = api::ServerLog::open(*api::parse_level(flags.log_level), flags.log_file);
  if (!opened_log) return report(opened_log.error());
  api::ServerLog& log = **opened_log;
  api::ModelRegistry models;
  if (const auto opened = open_models(flags, arguments, models, log); !opened) return report(opened.error());

  std::vector<api::ListenAddress> addresses;
  for (const api::Listener& listener : listeners) addresses.push_back(listener.address);
  api::Service service(models, api::Access({flags.hosts, flags.origins}, addresses),
                       {.version = version_number(), .log = &log});
  api::HttpServer server(std::move(listeners), {}, service);
  service.count_connections([&server] { return server.connections_open(); });
  server.start();
  for (const api::ListenAddress& address : addresses) {
    print("listening on " + to_valid_utf8(address.url()) + "\n");
    if (!address.loopback())
      log.say(LogLevel::kWarn,
              address.url() + " is open to other machines, unencrypted and without accounts");
  }

  LoadReport load_report(models, log);
  for (;;) {
    const int signal = signals.wait(kWatchMs);
    if (signal == SIGTERM || signal == SIGINT) break;
    if (signal == SIGHUP) {
      log.reopen();
      log.say(LogLevel::kInfo, "SIGHUP: the log goes on here");
    }
    if (!load_report.look()) {
      server.stop(0);
      return report(none_left(models));
    }
  }
  log.say(LogLevel::kInfo, "stopping; running answers have " + std::to_string(flags.grace_s) + " s");
  stop_gracefully(flags, signals, models, service, server, log);
  return kExitOk;
}

int run(int argc, char** argv) {
  CLI::App app("Serves models over HTTP. Without accounts, open to this machine only.");
  ServeFlags flags;
  add_flags(app, flags);
  if (const auto code = parse_command_line(app, argc, argv)) return *code;
  if (const std::string fault = option_fault(flags); !fault.empty()) return wrong_usage(fault);
  const auto addresses = addresses_of(flags);
  if (!addresses) return wrong_usage(addresses.error().message);
  std::vector<ModelArgument> models;
  for (const std::string& text : flags.models) {
    const auto model = parse_model_argument(text);
    if (!model) return wrong_usage(model.error().message);
    const bool taken =
        std::any_of(models.begin(), models.end(), [&](const auto& m) { return m.name == model->name; });
    if (taken)
      return wrong_usage("two models have the name '" + model->name + "'; give one another: NAME=FILE");
    models.push_back(*model);
  }
  auto listeners = api::bind_all(*addresses);
  if (!listeners) return report(listeners.error());
  return serve(flags, std::move(*listeners), models);
}

}  // namespace
}  // namespace ondol::commands

namespace ondol {
int run_serve(int argc, char** argv) { return commands::run(argc, argv); }
}  // namespace ondol
