// Splits generated text into reasoning and content while it streams. The same text gives the same split
// however it is cut into pieces: what could still become a tag is held back.
// Rules:
//  - Reasoning is what stands between the family's opening and closing tag at the start of the answer
//    (white space may come first), or right after a block of reasoning that has closed.
//  - If the prompt already ended with the opening tag, the answer starts inside the reasoning and a
//    closing tag alone ends it (the closing-only form). A repeated opening tag at the start is dropped.
//  - A closing tag inside a code span (`...` on one line) is text. Inside a fenced block (```) it is
//    text too, unless it stands alone on its line with an empty line or nothing after it: that is how
//    models close, and a fence they forgot to end must not swallow the answer.
//  - White space next to a tag belongs to neither part.
//  - Reasoning that never closes stays reasoning. Tags in the content are text.
// One per stream; not for several threads at once.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ondol::chat {

struct ReasoningTags {
  std::string open;
  std::string close;
};

// The tags a template speaks of: <think>, <|think|>, [THINK], <reasoning>, <thought> and their closing
// forms. Nothing if it has none.
std::optional<ReasoningTags> detect_reasoning_tags(std::string_view template_source);
// The prompt ends with the opening tag (white space may follow it): generation starts inside reasoning.
bool prompt_opens_reasoning(std::string_view prompt, const ReasoningTags& tags);

struct SplitText {
  std::string reasoning;
  std::string content;
};

class ReasoningSplitter {
 public:
  ReasoningSplitter(ReasoningTags tags, bool starts_inside);
  // What is certain now.
  SplitText push(std::string_view piece);
  // The rest, at the end of the text. Nothing may be pushed after it.
  SplitText finish();

 private:
  enum class State { kStart, kReasoning, kAfterReasoning, kContent };
  // Where a possible closing tag stands.
  enum class Verdict { kTag, kText, kUnknown };

  SplitText advance(bool at_end);
  bool step(std::string_view rest, bool at_end, SplitText& out);  // false: nothing certain in `rest`
  bool step_opening(std::string_view rest, bool at_end);
  bool step_reasoning(std::string_view rest, bool at_end, SplitText& out);
  Verdict judge_close(std::string_view after, bool at_end) const;
  void read_backticks(size_t count);
  void emit_reasoning(std::string_view text, SplitText& out);

  const ReasoningTags tags_;
  State state_ = State::kStart;
  std::string pending_;        // not decided yet
  size_t used_ = 0;            // of pending_, during advance()
  std::string held_space_;     // white space at the end of the reasoning so far; dropped before a closing tag
  bool may_reopen_ = false;    // inside by the prompt, and nothing read yet
  bool skips_space_ = false;   // directly after an opening tag
  size_t open_backticks_ = 0;  // length of the run that opened a code span or fence; 0: not in code
  bool in_fence_ = false;
  bool line_start_ = true;  // only spaces since the last newline
};

}  // namespace ondol::chat
