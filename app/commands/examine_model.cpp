#include "app/commands/examine_model.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/statistics.h"
#include "core/base/clock.h"
#include "core/chat/chat_template.h"
#include "core/gguf/reader.h"
#include "core/model/model_spec.h"
#include "core/tokenizer/tokenizer.h"
#include "kernels/cpu/dispatch.h"

namespace ondol::commands {
namespace {

constexpr int64_t kContextShown = 1024;  // tokens that the need for keys and values is stated for

bool is_float(kernels::DType type) {
  return type == kernels::DType::kF32 || type == kernels::DType::kF16 || type == kernels::DType::kBF16;
}

void count_tensors(const gguf::File& file, ModelReport& report) {
  std::map<std::string, int64_t> bytes;
  int64_t float_matrices = 0, all = 0;
  for (const gguf::Tensor& tensor : file.tensors()) {
    const auto size = static_cast<int64_t>(tensor.bytes.size());
    const kernels::DTypeTraits* traits = kernels::dtype_traits(tensor.type);
    bytes[traits == nullptr ? "unknown" : std::string(traits->name)] += size;
    report.parameters += tensor.elements();
    all += size;
    if (tensor.shape.size() > 1 && is_float(tensor.type)) float_matrices += size;
  }
  report.types.assign(bytes.begin(), bytes.end());
  std::stable_sort(report.types.begin(), report.types.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (float_matrices > all / 20) {
    report.problems.push_back(
        bytes_text(float_matrices) + " of " + bytes_text(all) +
        " are matrices in float types (F32, F16, BF16): they are computed without the fast "
        "integer path; a quantized file is smaller and faster");
  }
}

Result<void> examine(FileSystem& files, ModelReport& report) {
  ONDOL_TRY(const std::unique_ptr<gguf::File> file, gguf::File::open(files, report.path));
  report.file_bytes = file->bytes_total();
  count_tensors(*file, report);
  if (const auto name = file->string("general.architecture")) report.architecture = std::string(*name);
  if (const auto name = file->string("tokenizer.ggml.model")) report.tokenizer = std::string(*name);
  ONDOL_TRY(const model::ModelSpec spec, model::read_model_spec(*file));
  report.context = spec.context_trained;
  ONDOL_TRY(const std::unique_ptr<Tokenizer> tokenizer, Tokenizer::load(*file));
  report.pre_tokenizer = std::string(tokenizer->pre_name());
  report.vocabulary = tokenizer->size();
  const auto chat = chat::ChatTemplate::load(*file, *tokenizer, system_clock());
  report.chat_template = chat ? (*chat)->origin() : "none: " + chat.error().text();
  if (!chat) report.problems.push_back("no chat: " + chat.error().text() + "; completions work");
  ONDOL_TRY(report.memory, model::estimate_memory(*file, {kernels::find_table("auto")}));
  return {};
}

std::string origin_text(const std::string& origin) {
  if (origin == "file") return "the file's own";
  return origin.starts_with("none") ? origin : "none in the file; its family's default is used: " + origin;
}

void judge_memory(ModelReport& report, int64_t available_bytes) {
  if (report.needed_bytes(1) > available_bytes) {
    report.failure = "it needs " + bytes_text(report.needed_bytes(1)) + " of memory, " +
                     bytes_text(available_bytes) + " are available";
  } else if (report.needed_bytes(report.context) > available_bytes) {
    report.problems.push_back("the trained context of " + std::to_string(report.context) +
                              " tokens does not fit (" + bytes_text(report.needed_bytes(report.context)) +
                              " would be needed): a smaller one will be used");
  }
}

}  // namespace

int64_t ModelReport::needed_bytes(int64_t tokens) const {
  return memory.weights_bytes + memory.activation_bytes + memory.kv_bytes(tokens);
}

ModelReport examine_model(FileSystem& files, const std::string& path, int64_t available_bytes) {
  ModelReport report;
  report.path = path;
  if (const Result<void> done = examine(files, report); !done) {
    report.failure = done.error().text();
  } else {
    judge_memory(report, available_bytes);
  }
  return report;
}

nlohmann::ordered_json model_json(const ModelReport& report, int64_t available_bytes) {
  nlohmann::ordered_json json = {{"path", report.path}, {"ok", report.ok()}};
  if (!report.ok()) json["failure"] = report.failure;
  nlohmann::ordered_json types = nlohmann::ordered_json::object();
  for (const auto& [name, bytes] : report.types) types[name] = bytes;
  json["architecture"] = report.architecture;
  json["file_bytes"] = report.file_bytes;
  json["parameters"] = report.parameters;
  json["context_trained"] = report.context;
  json["type_bytes"] = types;
  json["tokenizer"] = {
      {"model", report.tokenizer}, {"pre", report.pre_tokenizer}, {"vocabulary", report.vocabulary}};
  json["chat_template"] = report.chat_template;
  json["memory"] = {{"weights_bytes", report.memory.weights_bytes},
                    {"kv_bytes_per_1k_tokens", report.memory.kv_bytes(kContextShown)},
                    {"activation_bytes", report.memory.activation_bytes},
                    {"needed_bytes", report.needed_bytes(kContextShown)},
                    {"needed_bytes_full_context", report.needed_bytes(report.context)},
                    {"available_bytes", available_bytes},
                    {"fits", report.memory.weights_bytes > 0 && report.needed_bytes(1) <= available_bytes}};
  json["problems"] = report.problems;
  return json;
}

std::string model_text(const ModelReport& report, int64_t available_bytes) {
  std::string text = "\n" + report.path + "\n";
  if (!report.ok()) text += "  cannot be served  " + report.failure + "\n";
  if (report.parameters > 0) {
    char parameters[48];
    std::snprintf(parameters, sizeof parameters, "%.1f M parameters, ",
                  static_cast<double>(report.parameters) / 1e6);
    text += "  architecture      " + report.architecture + ", " + parameters + bytes_text(report.file_bytes) +
            "\n";
    text += "  weights           ";
    for (const auto& [name, bytes] : report.types) {
      text += (&name == &report.types.front().first ? "" : ", ") + name + " " + bytes_text(bytes);
    }
    text += "\n";
  }
  if (report.vocabulary > 0) {
    text += "  context           " + std::to_string(report.context) + " tokens as trained\n";
    text += "  tokenizer         " + report.tokenizer + ", pre-tokenizer " + report.pre_tokenizer + ", " +
            std::to_string(report.vocabulary) + " tokens\n";
    text += "  chat template     " + origin_text(report.chat_template) + "\n";
  }
  if (report.memory.weights_bytes > 0) {
    text += "  memory            " + bytes_text(report.memory.weights_bytes) + " weights, " +
            bytes_text(report.memory.activation_bytes) + " activations, " +
            bytes_text(report.memory.kv_bytes(kContextShown)) + " for each 1024 tokens; " +
            bytes_text(report.needed_bytes(report.context)) + " with the whole context, " +
            bytes_text(available_bytes) + " available\n";
  }
  for (const std::string& problem : report.problems) text += "  note              " + problem + "\n";
  return text;
}

}  // namespace ondol::commands
