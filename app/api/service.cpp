#include "app/api/service.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "app/api/api_error.h"
#include "app/api/completion_run.h"
#include "app/api/metrics_page.h"
#include "app/api/pages.h"
#include "app/api/request_log.h"
#include "app/api/token_routes.h"
#include "core/base/clock.h"

namespace ondol::api {
namespace {

constexpr std::string_view kModelPrefix = "/v1/models/";
constexpr std::array<std::string_view, 4> kPostPaths = {"/v1/chat/completions", "/v1/completions",
                                                        "/tokenize", "/detokenize"};
constexpr std::array<std::string_view, 5> kGetPaths = {"/health", "/health/live", "/health/ready", "/metrics",
                                                       "/v1/models"};

template <class Paths>
bool among(const Paths& paths, std::string_view path) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

// "GET, HEAD", "POST", or "" when there is no such route.
std::string allowed_methods(std::string_view path) {
  if (among(kPostPaths, path)) return "POST, OPTIONS";
  if (among(kGetPaths, path) || is_page(path) ||
      (path.starts_with(kModelPrefix) && path.size() > kModelPrefix.size()))
    return "GET, HEAD, OPTIONS";
  return "";
}

// A route's name in metrics: few, whatever clients ask for.
std::string_view route_name(std::string_view path) {
  if (path.empty()) return "none";
  for (const std::string_view one : kPostPaths) {
    if (one == path) return one;
  }
  for (const std::string_view one : kGetPaths) {
    if (one == path) return one;
  }
  if (path.starts_with(kModelPrefix)) return "/v1/models/{id}";
  return is_page(path) ? "page" : "other";
}

uint64_t random_number() {
  uint64_t value = 0;
  if (getrandom(&value, sizeof(value), 0) != sizeof(value))
    value = static_cast<uint64_t>(system_clock().now_ns());
  return value;
}

std::string random_id(const char* prefix) {
  char text[64];
  std::snprintf(text, sizeof(text), "%s%016llx%016llx", prefix,
                static_cast<unsigned long long>(random_number()),
                static_cast<unsigned long long>(random_number()));
  return text;
}

const char* state_name(EngineState state) {
  switch (state) {
    case EngineState::kLoading: return "loading";
    case EngineState::kReady: return "ready";
    case EngineState::kFailed: return "failed";
    case EngineState::kStopping: return "stopping";
  }
  return "unknown";
}

Json model_json(const ServedModel& model) {
  const EngineInfo info = model.info();
  Json meta = {{"state", state_name(info.state)}};
  Json out = {{"id", model.id}, {"object", "model"}, {"created", info.created_unix_s}, {"owned_by", "ondol"}};
  if (info.state == EngineState::kReady) {
    out["max_model_len"] = info.runner.context;
    meta["context"] = info.runner.context;
    meta["context_trained"] = info.runner.context_trained;
    meta["parameters"] = info.runner.parameters;
    meta["architecture"] = info.runner.architecture;
    meta["kv_type"] = info.runner.kv_type;
    meta["kernels"] = info.runner.kernels;
    meta["threads"] = info.runner.threads;
    meta["weights_bytes"] = info.runner.weights_bytes;
    meta["chat_template"] = info.chat_template_origin;
  } else {
    meta["load_progress"] = info.load_progress;
  }
  if (!info.failure.empty()) meta["failure"] = info.failure;
  meta["fallbacks"] = info.fallbacks;
  out["meta"] = std::move(meta);
  return out;
}

HttpReply json_reply(const Json& json, int status = 200) {
  HttpReply reply;
  reply.status = status;
  reply.body = to_text(json);
  return reply;
}

// Why a model cannot answer now; nothing when it can.
std::optional<ApiError> not_ready(const ServedModel& model) {
  const EngineInfo info = model.info();
  if (info.state == EngineState::kLoading)
    return to_api_error({Code::kUnavailable, "the model '" + model.id + "' is still loading", ""});
  if (info.state == EngineState::kFailed)
    return to_api_error({Code::kUnavailable,
                         "the model '" + model.id + "' could not be loaded; the server's log says why", ""});
  if (info.state == EngineState::kStopping)
    return to_api_error({Code::kUnavailable, "the server is stopping", ""});
  return std::nullopt;
}

}  // namespace

Service::Service(const ModelRegistry& models, Access access, ServiceOptions options)
    : models_(models),
      access_(std::move(access)),
      options_(std::move(options)),
      start_ns_(system_clock().now_ns()),
      start_unix_s_(system_clock().unix_s()) {}

std::vector<std::string> Service::body_paths() const { return {kPostPaths.begin(), kPostPaths.end()}; }

bool Service::urgent(std::string_view path) const {
  return path.starts_with("/health") || path == "/metrics";
}

std::string Service::error_body(int status, const std::string& message) const {
  return to_text(error_json(of_status(status, message)));
}

void Service::served(const ServedRequest& request) {
  const std::string_view route = route_name(request.path);
  counters_.count(route, request.status, request.seconds);
  if (options_.log == nullptr) return;
  const LogLevel level = request_level(route, request);
  if (options_.log->wants(level)) options_.log->write(level, request_pairs(route, request));
}

// Foreign hosts and origins, unknown routes, wrong methods.
std::optional<HttpReply> Service::refused(const HttpRequest& request) const {
  const bool health = request.path.starts_with("/health");
  if (!health && !request.over_unix_socket && !request.host.empty() && !access_.host_allowed(request.host))
    return error_reply(of_status(403, "this server does not answer to the name '" + request.host +
                                          "'; use its address, or allow the name with --allow-host"));
  const std::string allow = allowed_methods(request.path);
  if (allow.empty()) return error_reply(of_status(404, "there is no '" + request.path + "' here"));
  if (request.method == "OPTIONS") return preflight(request, allow);
  if (allow.find(request.method) == std::string::npos || request.method.empty()) {
    HttpReply reply = error_reply(of_status(405, "'" + request.path + "' takes " + allow));
    reply.headers.emplace_back("Allow", allow);
    return reply;
  }
  const bool foreign = !request.origin.empty() && !Access::same_origin(request.origin, request.host) &&
                       !access_.origin_allowed(request.origin);
  if (foreign && request.method == "POST")
    return error_reply(of_status(403, "pages of other origins may not call this server (--allow-origin)"));
  return std::nullopt;
}

HttpReply Service::preflight(const HttpRequest& request, const std::string& allow) const {
  if (!request.origin.empty() && !access_.origin_allowed(request.origin) &&
      !Access::same_origin(request.origin, request.host))
    return error_reply(of_status(403, "pages of other origins may not call this server (--allow-origin)"));
  HttpReply reply;
  reply.status = 204;
  reply.headers = {{"Allow", allow}};
  if (!request.origin.empty()) {
    reply.headers.emplace_back("Access-Control-Allow-Methods", allow);
    reply.headers.emplace_back("Access-Control-Allow-Headers", "Authorization, Content-Type");
    reply.headers.emplace_back("Access-Control-Max-Age", "600");
  }
  return reply;
}

void Service::finish(const HttpRequest& request, HttpReply& reply) const {
  reply.headers.emplace_back("X-Content-Type-Options", "nosniff");
  const auto has = [&](std::string_view name) {
    return std::any_of(reply.headers.begin(), reply.headers.end(),
                       [&](const auto& h) { return h.first == name; });
  };
  if (!has("Cache-Control")) reply.headers.emplace_back("Cache-Control", "no-store");
  if (!request.origin.empty() && access_.origin_allowed(request.origin)) {
    reply.headers.emplace_back("Access-Control-Allow-Origin", request.origin);
    reply.headers.emplace_back("Vary", "Origin");
  }
}

std::optional<HttpReply> Service::before_body(const HttpRequest& request) {
  std::optional<HttpReply> reply = refused(request);
  if (!reply && request.method != "POST") reply = get(request);
  if (!reply && stopping_)
    reply = error_reply(to_api_error({Code::kUnavailable, "the server is stopping", ""}));
  if (reply) finish(request, *reply);
  return reply;
}

HttpReply Service::get(const HttpRequest& request) const {
  const std::string& path = request.path;
  if (path == "/health/live") return json_reply({{"status", "ok"}});
  if (path == "/health" || path == "/health/ready") return ready();
  if (path == "/v1/models") return models();
  if (path.starts_with(kModelPrefix)) return model(path.substr(kModelPrefix.size()));
  if (path == "/metrics") {
    ServerFacts facts;
    facts.version = options_.version;
    facts.start_unix_s = start_unix_s_;
    facts.uptime_s = static_cast<double>(system_clock().now_ns() - start_ns_) * 1e-9;
    facts.connections_open = connections_ ? connections_() : 0;
    facts.log_lines_lost = options_.log ? options_.log->lines_lost() : 0;
    HttpReply reply;
    reply.content_type = metrics::kContentType;
    reply.body = metrics_page(models_, counters_, facts);
    return reply;
  }
  auto page = page_reply(request);
  return page ? std::move(*page) : error_reply(of_status(404, "there is no '" + path + "' here"));
}

// Ready: some model answers and none is still loading. A failed model beside a good one is told, not fatal.
HttpReply Service::ready() const {
  bool any_ready = false, any_loading = false;
  Json list = Json::array();
  for (const ServedModel& served : models_.all()) {
    const EngineInfo info = served.info();
    any_ready = any_ready || info.state == EngineState::kReady;
    any_loading = any_loading || info.state == EngineState::kLoading;
    Json one = {{"id", served.id}, {"state", state_name(info.state)}, {"load_progress", info.load_progress}};
    if (!info.failure.empty()) one["failure"] = info.failure;
    if (!info.fallbacks.empty()) one["fallbacks"] = info.fallbacks;
    list.push_back(std::move(one));
  }
  const char* status = stopping_ ? "stopping" : any_loading ? "loading" : any_ready ? "ok" : "failed";
  const bool good = !stopping_ && !any_loading && any_ready;
  HttpReply reply = json_reply({{"status", status}, {"models", std::move(list)}}, good ? 200 : 503);
  if (!good) reply.headers.emplace_back("Retry-After", "1");
  return reply;
}

HttpReply Service::models() const {
  Json data = Json::array();
  for (const ServedModel& served : models_.all()) data.push_back(model_json(served));
  return json_reply({{"object", "list"}, {"data", std::move(data)}});
}

HttpReply Service::model(const std::string& id) const {
  const ServedModel* served = models_.find(id);
  return served ? json_reply(model_json(*served)) : error_reply(model_not_found(id, models_.ids()));
}

HttpReply Service::handle(const HttpRequest& request, const Client& client) {
  const auto facts = std::make_shared<RequestFacts>();  // shared: a stream goes on filling it
  HttpReply reply = answer(request, client, facts);
  if (reply.facts) {  // an error
    facts->error = reply.facts->error;
    facts->hidden_error = reply.facts->hidden_error;
  }
  reply.facts = facts;
  finish(request, reply);
  return reply;
}

HttpReply Service::answer(const HttpRequest& request, const Client& client,
                          const std::shared_ptr<RequestFacts>& facts) const {
  const auto body = parse_json(request.body);
  if (!body) return error_reply(to_api_error(body.error()));
  const auto name = model_field(*body);
  if (!name) return error_reply(to_api_error(name.error()));
  const bool tokens = request.path == "/tokenize" || request.path == "/detokenize";
  // Peers' token routes know no model field: with a single model it may be left out there.
  const ServedModel* served =
      tokens && name->empty() && models_.all().size() == 1 ? &models_.all().front() : models_.find(*name);
  facts->model = served ? served->id : *name;
  if (!served) return error_reply(model_not_found(*name, models_.ids()));
  if (const auto error = not_ready(*served)) return error_reply(*error);
  if (request.path == "/tokenize") return tokenize_reply(*served->engine, *body);
  if (request.path == "/detokenize") return detokenize_reply(*served->engine, *body);
  return completion(*served, *body, request.path == "/v1/chat/completions", client, facts);
}

HttpReply Service::completion(const ServedModel& served, const Json& body, bool chat, const Client& client,
                              const std::shared_ptr<RequestFacts>& facts) const {
  CompletionRequest request;
  const auto error =
      chat ? parse_chat(body, random_number(), request) : parse_completion(body, random_number(), request);
  if (error) return error_reply(*error);
  const RunnerInfo runner = served.engine->info().runner;
  ResponseFrame frame;
  frame.id = random_id(chat ? "chatcmpl-" : "cmpl-");
  frame.model = served.id;
  frame.fingerprint = "ondol-" + options_.version + "-" + runner.numerics_id + "-" + runner.kv_type;
  frame.created_unix_s = system_clock().unix_s();
  frame.chat = chat;
  frame.logprobs = request.requests.front().sampling.logprobs;
  frame.include_usage = request.include_usage;
  return run_completion(*served.engine, std::move(request), std::move(frame), client,
                        options_.ping_interval_ms, facts);
}

}  // namespace ondol::api
