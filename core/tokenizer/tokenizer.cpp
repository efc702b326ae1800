#include "core/tokenizer/tokenizer.h"

#include "core/tokenizer/bpe_tokenizer.h"
#include "core/tokenizer/spm_tokenizer.h"
#include "core/tokenizer/vocabulary.h"

namespace ondol {

Result<std::unique_ptr<Tokenizer>> make_tokenizer(Vocabulary vocabulary) {
  const size_t count = vocabulary.tokens.size();
  const auto in_range = [&](const std::optional<TokenId>& id) {
    return !id || (*id >= 0 && static_cast<size_t>(*id) < count);
  };
  if (vocabulary.kinds.size() != count || (vocabulary.model == "llama" && vocabulary.scores.size() != count))
    return Error{Code::kInvalidArgument, "the fields of the vocabulary differ in length",
                 "tokenizer.ggml.tokens"};
  if (!in_range(vocabulary.bos) || !in_range(vocabulary.eos) || !in_range(vocabulary.eot) ||
      !in_range(vocabulary.eom) || !in_range(vocabulary.unknown))
    return Error{Code::kInvalidArgument, "a special token's id is outside the vocabulary", "tokenizer.ggml"};
  if (vocabulary.model == "llama") return SpmTokenizer::make(std::move(vocabulary));
  if (vocabulary.model == "gpt2" || vocabulary.model == "gemma4")
    return BpeTokenizer::make(std::move(vocabulary));
  return Error{Code::kUnsupported, "tokenizer model '" + vocabulary.model + "' is not supported",
               "tokenizer.ggml.model"};
}

Result<std::unique_ptr<Tokenizer>> Tokenizer::load(const gguf::File& file) {
  ONDOL_TRY(Vocabulary vocabulary, read_vocabulary(file));
  return make_tokenizer(std::move(vocabulary));
}

void begin_with_bos(const Tokenizer& tokenizer, std::vector<TokenId>& ids) {
  const std::optional<TokenId> bos = tokenizer.bos();
  if (!tokenizer.adds_bos() || !bos) return;
  if (ids.empty() || ids.front() != *bos) ids.insert(ids.begin(), *bos);
}

}  // namespace ondol
