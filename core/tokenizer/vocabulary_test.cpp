#include "core/tokenizer/vocabulary.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/gguf/writer.h"
#include "core/tokenizer/test_vocabularies.h"

namespace ondol {
namespace {

// A file that holds `vocabulary`; keys in `without` are left out.
std::string file_of(const Vocabulary& vocabulary, const std::vector<std::string>& without = {}) {
  gguf::Writer writer;
  const auto add = [&](const std::string& name, const auto& value) {
    if (std::find(without.begin(), without.end(), name) == without.end())
      writer.add("tokenizer.ggml." + name, value);
  };
  std::vector<int32_t> types;
  for (const TokenKind kind : vocabulary.kinds) types.push_back(static_cast<int32_t>(kind) + 1);
  writer.add("general.architecture", "llama");
  add("model", vocabulary.model);
  add("pre", vocabulary.pre);
  add("tokens", vocabulary.tokens);
  add("token_type", types);
  add("scores", vocabulary.scores);
  add("merges", vocabulary.merges);
  if (vocabulary.bos) add("bos_token_id", static_cast<uint32_t>(*vocabulary.bos));
  if (vocabulary.eos) add("eos_token_id", static_cast<uint32_t>(*vocabulary.eos));
  if (vocabulary.unknown) add("unknown_token_id", static_cast<uint32_t>(*vocabulary.unknown));
  if (vocabulary.add_space_prefix) add("add_space_prefix", *vocabulary.add_space_prefix);
  add("add_bos_token", true);
  return writer.to_bytes();
}

Result<std::unique_ptr<Tokenizer>> load(const std::string& bytes) {
  ONDOL_TRY(const std::unique_ptr<gguf::File> file,
            gguf::File::parse(std::as_bytes(std::span(bytes)), "test.gguf"));
  return Tokenizer::load(*file);  // keeps nothing of the file
}

TEST_CASE("vocabulary: a tokenizer loaded from a file works after the file is gone") {
  const auto bpe = load(file_of(bpe_test_vocabulary("qwen2")));
  REQUIRE(bpe);
  CHECK_EQ((*bpe)->pre_name(), "qwen2");
  CHECK_EQ((*bpe)->encode("hello<|im_end|>", true), std::vector<TokenId>{*(*bpe)->find("hello"), kTestEnd});
  CHECK((*bpe)->adds_bos());
  CHECK_EQ((*bpe)->bos(), kTestEndOfText);
  CHECK_FALSE((*bpe)->adds_space_prefix());

  const auto spm = load(file_of(spm_test_vocabulary()));
  REQUIRE(spm);
  CHECK_EQ((*spm)->encode("hello", false), std::vector<TokenId>{*(*spm)->find("▁hello")});
  CHECK((*spm)->adds_space_prefix());
  CHECK((*spm)->is_end_of_generation(2));
}

TEST_CASE("vocabulary: B03 an unknown pre-tokenizer or model is an error that names it") {
  const auto made_up = load(file_of(bpe_test_vocabulary("ondol-made-up")));
  REQUIRE_FALSE(made_up);
  CHECK_EQ(made_up.error().code, Code::kUnsupported);
  CHECK_EQ(made_up.error().text(), "tokenizer.ggml.pre: pre-tokenizer 'ondol-made-up' is not supported");
  for (const char* model : {"bert", "t5", "rwkv", "plamo2"}) {
    Vocabulary vocabulary = bpe_test_vocabulary();
    vocabulary.model = model;
    const auto refused = load(file_of(vocabulary));
    REQUIRE_FALSE(refused);
    CHECK_EQ(refused.error().code, Code::kUnsupported);
    CHECK_NE(refused.error().text().find("'" + std::string(model) + "'"), std::string::npos);
  }
}

TEST_CASE("vocabulary: without the pre field the pre-tokenizer is the default one") {
  const auto tokenizer = load(file_of(bpe_test_vocabulary("anything"), {"pre"}));
  REQUIRE(tokenizer);
  CHECK_EQ((*tokenizer)->pre_name(), "default");
}

TEST_CASE("vocabulary: fields that are missing or do not fit are refused, with the field's name") {
  const auto refused = [](const std::string& bytes) {
    const auto result = load(bytes);
    REQUIRE_FALSE(result);
    return result.error().text();
  };
  CHECK_NE(refused(file_of(bpe_test_vocabulary(), {"tokens"})).find("tokenizer.ggml.tokens"),
           std::string::npos);
  CHECK_NE(refused(file_of(bpe_test_vocabulary(), {"merges"})).find("tokenizer.ggml.merges"),
           std::string::npos);
  CHECK_NE(refused(file_of(spm_test_vocabulary(), {"scores"})).find("tokenizer.ggml.scores"),
           std::string::npos);
  Vocabulary vocabulary = bpe_test_vocabulary();
  vocabulary.kinds.pop_back();
  CHECK_NE(refused(file_of(vocabulary)).find("tokenizer.ggml.token_type"), std::string::npos);
  vocabulary = spm_test_vocabulary();
  vocabulary.scores.pop_back();
  CHECK_NE(refused(file_of(vocabulary)).find("tokenizer.ggml.scores"), std::string::npos);
  vocabulary = bpe_test_vocabulary();
  vocabulary.eos = static_cast<TokenId>(vocabulary.tokens.size());
  CHECK_NE(refused(file_of(vocabulary)).find("tokenizer.ggml.eos_token_id"), std::string::npos);
  vocabulary = bpe_test_vocabulary();
  vocabulary.merges.push_back("alone");
  CHECK_NE(refused(file_of(vocabulary)).find("tokenizer.ggml.merges"), std::string::npos);
  vocabulary = spm_test_vocabulary();
  vocabulary.tokens[3] = "gone";
  vocabulary.kinds[0] = TokenKind::kNormal;
  vocabulary.unknown.reset();
  CHECK_NE(refused(file_of(vocabulary)).find("byte tokens"), std::string::npos);
}

TEST_CASE("vocabulary: byte tokens are read from their spelling") {
  CHECK_EQ(byte_of("<0x0A>"), 0x0A);
  CHECK_EQ(byte_of("<0xFf>"), 0xFF);
  for (const char* text : {"", "<0x0>", "<0x0G>", "<0x0A", "<0x0A> ", "0x0A"}) CHECK_FALSE(byte_of(text));
}

}  // namespace
}  // namespace ondol
