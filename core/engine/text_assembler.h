// From picked tokens to text that is safe to show: whole UTF-8 characters, no part of a stop string.
// Tokens are accounted for when their text is released; tokens whose text begins at or after a stop string
// are dropped, so that text, ids, log-probabilities and usage always agree.
// One per choice; one thread.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/engine/engine.h"
#include "core/engine/stop_matcher.h"
#include "core/tokenizer/tokenizer.h"

namespace ondol {

struct AssembledText {
  std::string text;
  std::vector<TokenId> ids;
  std::vector<TokenLogprob> logprobs;
  bool empty() const { return text.empty() && ids.empty(); }
};

class TextAssembler {
 public:
  TextAssembler(const Tokenizer& tokenizer, const std::vector<std::string>& stops);

  // Takes one token; returns what can be shown now. `logprob` is null when none was asked for.
  AssembledText push(TokenId id, const TokenLogprob* logprob);
  // The rest, at the end of the answer: an unfinished character becomes U+FFFD.
  AssembledText finish();
  // A stop string was found: the choice ends, nothing more will be released.
  bool stopped() const { return matcher_.found().has_value(); }

 private:
  struct Held {
    TokenId id;
    int64_t begin;  // where the token's text begins in the whole text
    TokenLogprob logprob;
    bool has_logprob;
  };
  AssembledText release(bool all);

  StreamDecoder decoder_;
  StopMatcher matcher_;
  std::string held_text_;
  int64_t decoded_bytes_ = 0;
  int64_t released_bytes_ = 0;
  std::deque<Held> held_tokens_;
};

}  // namespace ondol
