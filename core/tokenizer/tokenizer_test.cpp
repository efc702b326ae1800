#include "core/tokenizer/tokenizer.h"

#include <doctest/doctest.h>

#include "core/tokenizer/test_vocabularies.h"

namespace ondol {
namespace {

std::vector<TokenId> with_bos(const Vocabulary& vocabulary, std::vector<TokenId> ids) {
  auto tokenizer = make_tokenizer(vocabulary);
  REQUIRE(tokenizer);
  begin_with_bos(**tokenizer, ids);
  return ids;
}

TEST_CASE(
    "tokenizer: a BOS is put in front once where the file asks for one, and not at all where it does not") {
  Vocabulary vocabulary = spm_test_vocabulary();
  vocabulary.add_bos = true;
  const TokenId bos = *vocabulary.bos;
  CHECK(with_bos(vocabulary, {}) == std::vector<TokenId>{bos});
  CHECK(with_bos(vocabulary, {5, bos}) == std::vector<TokenId>{bos, 5, bos});
  CHECK(with_bos(vocabulary, {bos, 5}) == std::vector<TokenId>{bos, 5});
  CHECK(with_bos(vocabulary, {bos, bos}) == std::vector<TokenId>{bos, bos});  // as the text has it

  vocabulary.add_bos = false;
  CHECK(with_bos(vocabulary, {5}) == std::vector<TokenId>{5});
  vocabulary.add_bos = true;
  vocabulary.bos.reset();
  CHECK(with_bos(vocabulary, {5}) == std::vector<TokenId>{5});
}

}  // namespace
}  // namespace ondol
