#include "app/api/metrics_page.h"

#include <algorithm>
#include <functional>

#include "app/metrics/process_metrics.h"

namespace ondol::api {
namespace {

using metrics::Labels;
using metrics::MetricsText;

struct ModelNumbers {
  EngineInfo info;
  EngineStats stats;
};

// Tokens of prompts that were really computed.
double prefilled(const EngineStats& stats) {
  return static_cast<double>(stats.prompt_tokens_total -
                             std::min(stats.prompt_tokens_total, stats.cached_tokens_total));
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }
double real(uint64_t value) { return static_cast<double>(value); }
double real(int64_t value) { return static_cast<double>(value); }

struct Family {
  const char* name;
  const char* type;
  const char* help;
  std::function<double(const ModelNumbers&)> value;
};

const std::vector<Family>& own_families() {
  static const std::vector<Family> families = {
      {"ondol_model_ready", "gauge", "1 when the model answers.",
       [](const ModelNumbers& m) { return m.info.state == EngineState::kReady ? 1.0 : 0.0; }},
      {"ondol_model_load_progress", "gauge", "0 to 1.",
       [](const ModelNumbers& m) { return m.info.load_progress; }},
      {"ondol_requests_total", "counter", "Requests taken.",
       [](const ModelNumbers& m) { return real(m.stats.requests_total); }},
      {"ondol_requests_failed_total", "counter", "Requests that ended in an error.",
       [](const ModelNumbers& m) { return real(m.stats.requests_failed_total); }},
      {"ondol_requests_cancelled_total", "counter", "Requests whose client left or that were stopped.",
       [](const ModelNumbers& m) { return real(m.stats.requests_cancelled_total); }},
      {"ondol_requests_rejected_total", "counter", "Requests refused: the queue was full.",
       [](const ModelNumbers& m) { return real(m.stats.requests_rejected_total); }},
      {"ondol_requests_running", "gauge", "Requests being computed.",
       [](const ModelNumbers& m) { return real(m.stats.running); }},
      {"ondol_requests_waiting", "gauge", "Requests in the queue.",
       [](const ModelNumbers& m) { return real(m.stats.waiting); }},
      {"ondol_prompt_tokens_total", "counter", "Prompt tokens taken.",
       [](const ModelNumbers& m) { return real(m.stats.prompt_tokens_total); }},
      {"ondol_cached_tokens_total", "counter", "Prompt tokens whose KV was reused.",
       [](const ModelNumbers& m) { return real(m.stats.cached_tokens_total); }},
      {"ondol_generated_tokens_total", "counter", "Tokens generated.",
       [](const ModelNumbers& m) { return real(m.stats.generated_tokens_total); }},
      {"ondol_steps_total", "counter", "Forward passes.",
       [](const ModelNumbers& m) { return real(m.stats.steps_total); }},
      {"ondol_pauses_total", "counter", "Requests set aside for lack of pages.",
       [](const ModelNumbers& m) { return real(m.stats.pauses_total); }},
      {"ondol_prefill_seconds_total", "counter", "Time in prompts.",
       [](const ModelNumbers& m) { return m.stats.prefill_seconds_total; }},
      {"ondol_decode_seconds_total", "counter", "Time in answers.",
       [](const ModelNumbers& m) { return m.stats.decode_seconds_total; }},
      {"ondol_kv_pages_used", "gauge", "KV pages in use.",
       [](const ModelNumbers& m) { return real(m.stats.pages_used); }},
      {"ondol_kv_pages_total", "gauge", "KV pages there are.",
       [](const ModelNumbers& m) { return real(m.stats.pages_total); }},
      {"ondol_context_tokens", "gauge", "The most tokens of one request.",
       [](const ModelNumbers& m) { return real(static_cast<int64_t>(m.info.runner.context)); }},
      {"ondol_weights_bytes", "gauge", "Memory of the weights.",
       [](const ModelNumbers& m) { return real(m.info.runner.weights_bytes); }},
  };
  return families;
}

const std::vector<Family>& peer_families() {
  static const std::vector<Family> families = {
      {"llamacpp:prompt_tokens_total", "counter", "Number of prompt tokens processed.",
       [](const ModelNumbers& m) { return prefilled(m.stats); }},
      {"llamacpp:prompt_seconds_total", "counter", "Prompt process time.",
       [](const ModelNumbers& m) { return m.stats.prefill_seconds_total; }},
      {"llamacpp:tokens_predicted_total", "counter", "Number of generation tokens processed.",
       [](const ModelNumbers& m) { return real(m.stats.generated_tokens_total); }},
      {"llamacpp:tokens_predicted_seconds_total", "counter", "Predict process time.",
       [](const ModelNumbers& m) { return m.stats.decode_seconds_total; }},
      {"llamacpp:n_decode_total", "counter", "Total number of forward passes.",
       [](const ModelNumbers& m) { return real(m.stats.steps_total); }},
      {"llamacpp:prompt_tokens_seconds", "gauge", "Average prompt throughput in tokens/s.",
       [](const ModelNumbers& m) { return ratio(prefilled(m.stats), m.stats.prefill_seconds_total); }},
      {"llamacpp:predicted_tokens_seconds", "gauge", "Average generation throughput in tokens/s.",
       [](const ModelNumbers& m) {
         return ratio(real(m.stats.generated_tokens_total), m.stats.decode_seconds_total);
       }},
      {"llamacpp:kv_cache_usage_ratio", "gauge", "KV cache usage, 1 means full.",
       [](const ModelNumbers& m) { return ratio(real(m.stats.pages_used), real(m.stats.pages_total)); }},
      {"llamacpp:kv_cache_tokens", "gauge", "KV cache tokens.",
       [](const ModelNumbers& m) { return real(m.stats.pages_used * m.info.runner.page_tokens); }},
      {"llamacpp:requests_processing", "gauge", "Requests being processed.",
       [](const ModelNumbers& m) { return real(m.stats.running); }},
      {"llamacpp:requests_deferred", "gauge", "Requests deferred.",
       [](const ModelNumbers& m) { return real(m.stats.waiting); }},
      {"vllm:num_requests_running", "gauge", "Number of requests in model execution batches.",
       [](const ModelNumbers& m) { return real(m.stats.running); }},
      {"vllm:num_requests_waiting", "gauge", "Number of requests waiting to be processed.",
       [](const ModelNumbers& m) { return real(m.stats.waiting); }},
      {"vllm:kv_cache_usage_perc", "gauge", "KV-cache usage, 1 means 100 percent.",
       [](const ModelNumbers& m) { return ratio(real(m.stats.pages_used), real(m.stats.pages_total)); }},
      {"vllm:gpu_cache_usage_perc", "gauge", "KV-cache usage under its older name.",
       [](const ModelNumbers& m) { return ratio(real(m.stats.pages_used), real(m.stats.pages_total)); }},
      {"vllm:prompt_tokens_total", "counter", "Number of prefill tokens processed.",
       [](const ModelNumbers& m) { return real(m.stats.prompt_tokens_total); }},
      {"vllm:generation_tokens_total", "counter", "Number of generation tokens processed.",
       [](const ModelNumbers& m) { return real(m.stats.generated_tokens_total); }},
      {"vllm:prefix_cache_queries_total", "counter", "Prompt tokens looked up in the prefix cache.",
       [](const ModelNumbers& m) { return real(m.stats.prompt_tokens_total); }},
      {"vllm:prefix_cache_hits_total", "counter", "Prompt tokens found in the prefix cache.",
       [](const ModelNumbers& m) { return real(m.stats.cached_tokens_total); }},
  };
  return families;
}

struct HistogramFamily {
  const char* name;
  const char* help;
  LatencyHistogram StepStats::*numbers;
};

constexpr HistogramFamily kHistograms[] = {
    {"time_to_first_token_seconds", "Time to first token.", &StepStats::ttft},
    {"time_per_output_token_seconds", "Time per output token.", &StepStats::itl},
    {"inter_token_latency_seconds", "Time between two tokens.", &StepStats::itl},
    {"e2e_request_latency_seconds", "From a request to its end.", &StepStats::e2e},
    {"request_queue_time_seconds", "Time in the queue.", &StepStats::queue},
};

void write_families(MetricsText& out, const std::vector<Family>& families,
                    const std::vector<ModelNumbers>& models, std::string_view label) {
  for (const Family& family : families) {
    out.family(family.name, family.type, family.help);
    for (const ModelNumbers& m : models) out.sample({{label, m.info.id}}, family.value(m));
  }
}

void write_histograms(MetricsText& out, const std::vector<ModelNumbers>& models) {
  for (const char* prefix : {"ondol_", "vllm:"}) {
    for (const HistogramFamily& h : kHistograms) {
      out.family(prefix + std::string(h.name), "histogram", h.help);
      const std::string_view label = prefix[0] == 'o' ? "model" : "model_name";
      for (const ModelNumbers& m : models) {
        const LatencyHistogram& numbers = m.stats.*h.numbers;
        out.histogram({{label, m.info.id}}, kLatencyBounds_s, numbers.counts, numbers.sum_s);
      }
    }
  }
}

void write_reasons_and_cache(MetricsText& out, const std::vector<ModelNumbers>& models) {
  out.family("vllm:request_success_total", "counter", "Count of finished requests by reason.");
  for (const ModelNumbers& m : models) {
    out.sample({{"model_name", m.info.id}, {"finished_reason", "stop"}}, real(m.stats.finished_stop_total));
    out.sample({{"model_name", m.info.id}, {"finished_reason", "length"}},
               real(m.stats.finished_length_total));
    out.sample({{"model_name", m.info.id}, {"finished_reason", "abort"}},
               real(m.stats.requests_cancelled_total));
  }
  out.family("vllm:cache_config_info", "gauge", "How the KV cache is divided.");
  for (const ModelNumbers& m : models) {
    out.sample({{"model_name", m.info.id},
                {"block_size", std::to_string(m.info.runner.page_tokens)},
                {"num_gpu_blocks", std::to_string(m.info.runner.pages_total)},
                {"cache_dtype", m.info.runner.kv_type}},
               1);
  }
}

}  // namespace

std::string metrics_page(const ModelRegistry& models, const metrics::HttpCounters& http,
                         const ServerFacts& facts) {
  std::vector<ModelNumbers> numbers;
  for (const ServedModel& model : models.all())
    numbers.push_back({model.info(), model.engine ? model.engine->stats() : EngineStats{}});
  MetricsText out;
  out.family("ondol_build_info", "gauge", "The program's version.");
  out.sample({{"version", facts.version}}, 1);
  metrics::write_process_metrics(out, facts.start_unix_s, facts.uptime_s);
  out.family("ondol_http_connections", "gauge", "Open connections.");
  out.sample({}, facts.connections_open);
  out.family("ondol_log_lines_lost_total", "counter", "Lines of the log that could not be written.");
  out.sample({}, real(facts.log_lines_lost));
  http.write(out);
  write_families(out, own_families(), numbers, "model");
  write_families(out, peer_families(), numbers, "model_name");
  write_reasons_and_cache(out, numbers);
  write_histograms(out, numbers);
  return out.text();
}

}  // namespace ondol::api
