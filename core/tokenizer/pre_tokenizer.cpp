#include "core/tokenizer/pre_tokenizer.h"

#include <algorithm>
#include <string>

#include "core/base/check.h"
#include "core/tokenizer/utf8.h"

namespace ondol {
namespace {

struct Family {
  std::vector<std::string_view> names;
  PreTokenizer traits;  // all but the name
};

// The names that conversion scripts write, by family. What is not here is refused: a wrong split is not
// visible, but every answer is worse for it.
std::vector<Family> families() {
  return {
      {{"default"}, {.rules = {split_default_signs, split_gpt2, split_digits_all, split_ascii_digits_three}}},
      {{"gpt-2", "phi-2", "mpt", "olmo", "jais", "trillion", "granite-docling", "exaone4", "a.x-4.0",
        "gigachat", "mellum", "modern-bert", "jina-es", "jina-de", "jina-v2-es", "jina-v2-de", "jina-v1-en",
        "jina-v2-code", "roberta-bpe"},
       {.rules = {split_gpt2}}},
      {{"starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b", "mellum2"},
       {.rules = {split_digits_one, split_gpt2}}},
      {{"falcon"}, {.rules = {split_falcon_signs, split_gpt2, split_ascii_digits_three}}},
      {{"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2",
        "jina-v5-nano"},
       {.rules = {split_llama3}, .whole_pieces_first = true, .adds_bos = true}},
      {{"smaug-bpe", "dbrx", "glm4", "chatglm-bpe"}, {.rules = {split_llama3}}},
      {{"minicpm5"}, {.rules = {split_digits_three, split_minicpm5}, .whole_pieces_first = true}},
      {{"qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "megrez", "stablelm2", "hunyuan", "solar-open",
        "grok-2", "bailingmoe", "bailingmoe2", "llada-moe"},
       {.rules = {split_qwen2}}},
      {{"qwen35"}, {.rules = {split_qwen35}}},
      {{"seed-coder"}, {.rules = {split_seed_coder}}},
      {{"laguna"}, {.rules = {split_lines, split_qwen2}}},
      {{"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"}, {.rules = {split_gpt4o}}},
      {{"tekken"}, {.rules = {split_tekken}, .whole_pieces_first = true, .adds_bos = true}},
      {{"tiny_aya", "cohere2moe"}, {.rules = {split_digits_grouped, split_gpt4o}}},
      {{"youtu"}, {.rules = {split_youtu_scripts, split_youtu}, .whole_pieces_first = true}},
      {{"deepseek-llm"},
       {.rules = {split_newlines_one, split_space_cased_letters, split_space_listed_signs,
                  split_trailing_space, split_cjk_hangul, split_digits_all}}},
      {{"deepseek-coder"},
       {.rules = {split_newlines_one, split_space_letters, split_space_signs, split_cjk_hangul,
                  split_digits_one}}},
      {{"deepseek-v3", "hunyuan-dense", "joyai-llm"},
       {.rules = {split_digits_three, split_cjk_kana, split_deepseek3}}},
      {{"exaone-moe"}, {.rules = {split_exaone_moe}}},
      {{"poro-chat", "bloom", "gpt3-finnish"}, {.rules = {split_bloom}}},
      {{"viking"}, {.rules = {split_bloom, split_digits_one}}},
      {{"gemma4", "sarvam-moe"}, {.rules = {split_lines}, .plain_utf8 = true}},
  };
}

}  // namespace

DecodedText decode_text(std::string_view text) {
  CHECK(text.size() <= kTextBytesMax);
  DecodedText decoded;
  decoded.code_points.reserve(text.size());
  decoded.flags.reserve(text.size());
  decoded.offsets.reserve(text.size() + 1);
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = decode_utf8(text.substr(at));
    decoded.offsets.push_back(static_cast<uint32_t>(at));
    decoded.code_points.push_back(step.code_point);
    decoded.flags.push_back(unicode_flags(step.code_point));
    at += step.bytes;
  }
  decoded.offsets.push_back(static_cast<uint32_t>(text.size()));
  return decoded;
}

std::vector<uint32_t> PreTokenizer::split(std::string_view text) const {
  const DecodedText decoded = decode_text(text);
  Ends ends;
  if (decoded.size() > 0) ends.push_back(static_cast<uint32_t>(decoded.size()));
  Ends finer;
  for (const SplitRule rule : rules) {
    finer.clear();
    size_t begin = 0;
    for (const uint32_t end : ends) {
      rule(decoded, begin, end, finer);
      begin = end;
    }
    ends.swap(finer);
  }
  for (uint32_t& end : ends) end = decoded.offsets[end];
  return ends;
}

Result<PreTokenizer> find_pre_tokenizer(std::string_view name) {
  if (name.empty()) name = "default";
  for (const Family& family : families()) {
    const auto known = std::find(family.names.begin(), family.names.end(), name);
    if (known == family.names.end()) continue;
    PreTokenizer result = family.traits;
    result.name = *known;
    return result;
  }
  return Error{Code::kUnsupported, "pre-tokenizer '" + std::string(name) + "' is not supported",
               "tokenizer.ggml.pre"};
}

std::vector<std::string_view> pre_tokenizer_names() {
  std::vector<std::string_view> names;
  for (const Family& family : families()) names.insert(names.end(), family.names.begin(), family.names.end());
  return names;
}

}  // namespace ondol
