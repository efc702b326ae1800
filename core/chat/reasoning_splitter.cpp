#include "core/chat/reasoning_splitter.h"

#include <algorithm>

namespace ondol::chat {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

struct Family {
  std::string_view open;
  std::string_view close;
};

constexpr Family kFamilies[] = {
    {"<think>", "</think>"},
    {"<|think|>", "<|/think|>"},
    {"[THINK]", "[/THINK]"},
    {"<reasoning>", "</reasoning>"},
    {"<thought>", "</thought>"},
    {"<thinking>", "</thinking>"},
    {"<|START_THINKING|>", "<|END_THINKING|>"},
};

bool all_space(std::string_view text) { return text.find_first_not_of(kSpace) == std::string_view::npos; }

size_t run_of_backticks(std::string_view text) { return std::min(text.find_first_not_of('`'), text.size()); }

}  // namespace

std::optional<ReasoningTags> detect_reasoning_tags(std::string_view source) {
  // Templates may mention the opening or the closing tag alone.
  for (const Family& family : kFamilies) {
    if (source.find(family.open) != std::string_view::npos ||
        source.find(family.close) != std::string_view::npos) {
      return ReasoningTags{std::string(family.open), std::string(family.close)};
    }
  }
  return std::nullopt;
}

bool prompt_opens_reasoning(std::string_view prompt, const ReasoningTags& tags) {
  const size_t open = prompt.rfind(tags.open);
  return open != std::string_view::npos && all_space(prompt.substr(open + tags.open.size()));
}

ReasoningSplitter::ReasoningSplitter(ReasoningTags tags, bool starts_inside)
    : tags_(std::move(tags)),
      state_(starts_inside ? State::kReasoning : State::kStart),
      may_reopen_(starts_inside),
      skips_space_(starts_inside) {}

SplitText ReasoningSplitter::push(std::string_view piece) {
  pending_ += piece;
  return advance(false);
}

SplitText ReasoningSplitter::finish() { return advance(true); }

SplitText ReasoningSplitter::advance(bool at_end) {
  SplitText out;
  used_ = 0;
  while (step(std::string_view(pending_).substr(used_), at_end, out)) {
  }
  pending_.erase(0, used_);
  if (at_end && state_ == State::kReasoning) {
    out.reasoning += held_space_;
    held_space_.clear();
  }
  return out;
}

bool ReasoningSplitter::step(std::string_view rest, bool at_end, SplitText& out) {
  switch (state_) {
    case State::kStart:
    case State::kAfterReasoning: return step_opening(rest, at_end);
    case State::kReasoning: return step_reasoning(rest, at_end, out);
    case State::kContent: break;
  }
  out.content += rest;
  used_ += rest.size();
  return false;
}

bool ReasoningSplitter::step_opening(std::string_view rest, bool at_end) {
  const size_t first = std::min(rest.find_first_not_of(kSpace), rest.size());
  const std::string_view word = rest.substr(first);
  if (word.starts_with(tags_.open)) {
    used_ += first + tags_.open.size();
    state_ = State::kReasoning;
    skips_space_ = true;
    open_backticks_ = 0;
    in_fence_ = false;
    line_start_ = true;
    return true;
  }
  if (!at_end && std::string_view(tags_.open).starts_with(word)) return false;
  if (state_ == State::kAfterReasoning) used_ += first;
  state_ = State::kContent;
  return true;
}

bool ReasoningSplitter::step_reasoning(std::string_view rest, bool at_end, SplitText& out) {
  if (may_reopen_) {
    const std::string_view word = rest.substr(std::min(rest.find_first_not_of(kSpace), rest.size()));
    if (!at_end && std::string_view(tags_.open).starts_with(word) && word.size() < tags_.open.size())
      return false;
    may_reopen_ = false;
    if (word.starts_with(tags_.open)) used_ += rest.size() - word.size() + tags_.open.size();
    return true;
  }
  if (skips_space_) {
    const size_t first = std::min(rest.find_first_not_of(kSpace), rest.size());
    used_ += first;
    if (first == rest.size()) return false;
    skips_space_ = false;
    return true;
  }
  if (rest.empty()) return false;
  if (rest.front() == '`') {
    const size_t count = run_of_backticks(rest);
    if (count == rest.size() && !at_end) return false;
    read_backticks(count);
    emit_reasoning(rest.substr(0, count), out);
    return true;
  }
  if (rest.starts_with(tags_.close)) {
    const Verdict verdict = judge_close(rest.substr(tags_.close.size()), at_end);
    if (verdict == Verdict::kUnknown) return false;
    if (verdict == Verdict::kText) {
      emit_reasoning(rest.substr(0, tags_.close.size()), out);
      return true;
    }
    used_ += tags_.close.size();
    held_space_.clear();
    state_ = State::kAfterReasoning;
    return true;
  }
  if (!at_end && std::string_view(tags_.close).starts_with(rest)) return false;
  if (rest.front() == '\n' && !in_fence_) open_backticks_ = 0;  // a span ends with its line
  const char stops[] = {'`', '\n', tags_.close.front(), '\0'};
  const size_t plain = std::max<size_t>(std::min(rest.find_first_of(stops), rest.size()), 1);
  emit_reasoning(rest.substr(0, plain), out);
  return true;
}

// Is the closing tag, with `after` behind it, really one?
ReasoningSplitter::Verdict ReasoningSplitter::judge_close(std::string_view after, bool at_end) const {
  if (open_backticks_ == 0) return Verdict::kTag;
  if (in_fence_) {
    if (!line_start_) return Verdict::kText;
    int newlines = 0;
    for (const char c : after) {
      if (kSpace.find(c) == std::string_view::npos) return Verdict::kText;
      if (c == '\n' && ++newlines == 2) return Verdict::kTag;
    }
    return at_end ? Verdict::kTag : Verdict::kUnknown;
  }
  for (size_t at = 0; at < after.size();) {
    if (after[at] == '\n') return Verdict::kTag;  // the span was never closed: it is none
    const size_t count = run_of_backticks(after.substr(at));
    if (count > 0 && at + count == after.size() && !at_end) return Verdict::kUnknown;
    if (count == open_backticks_) return Verdict::kText;
    at += std::max<size_t>(count, 1);
  }
  return at_end ? Verdict::kTag : Verdict::kUnknown;
}

void ReasoningSplitter::read_backticks(size_t count) {
  if (open_backticks_ == 0) {
    in_fence_ = line_start_ && count >= 3;
    open_backticks_ = count;
  } else if (in_fence_ ? line_start_ && count >= open_backticks_ : count == open_backticks_) {
    open_backticks_ = 0;
    in_fence_ = false;
  }
}

void ReasoningSplitter::emit_reasoning(std::string_view text, SplitText& out) {
  used_ += text.size();
  for (const char c : text)
    line_start_ = c == '\n' || (line_start_ && kSpace.find(c) != std::string_view::npos);
  const size_t last = text.find_last_not_of(kSpace);
  if (last == std::string_view::npos) {
    held_space_ += text;
    return;
  }
  out.reasoning += held_space_;
  out.reasoning += text.substr(0, last + 1);
  held_space_ = text.substr(last + 1);
}

}  // namespace ondol::chat
