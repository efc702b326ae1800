#include "core/chat/reasoning_splitter.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace ondol::chat;

namespace {

const ReasoningTags kThink{"<think>", "</think>"};

SplitText split(const std::vector<std::string>& pieces, bool inside, const ReasoningTags& tags = kThink) {
  ReasoningSplitter splitter(tags, inside);
  SplitText all;
  const auto add = [&](const SplitText& part) {
    all.reasoning += part.reasoning;
    all.content += part.content;
  };
  for (const std::string& piece : pieces) add(splitter.push(piece));
  add(splitter.finish());
  return all;
}

struct Transcript {
  const char* text;
  bool inside;
  const char* reasoning;
  const char* content;
  ReasoningTags tags = kThink;
};

const std::vector<Transcript> kTranscripts = {
    {"<think>\nhm\n</think>\n\nanswer", false, "hm", "answer"},
    {"hm, so\n</think>\n\nanswer", true, "hm, so", "answer"},
    {"plain answer, no tags", false, "", "plain answer, no tags"},
    {"  \n<think>a</think>b", false, "a", "b"},
    {"<think>\nhm", false, "hm", ""},
    {"the tag `</think>` ends it\n</think>\nok", true, "the tag `</think>` ends it", "ok"},
    {"a ` stray tick</think>ok", true, "a ` stray tick", "ok"},
    {"``a ` </think>`` b</think>ok", true, "``a ` </think>`` b", "ok"},
    {"```xml\n<think>x</think>\n```\n</think>\n\nok", true, "```xml\n<think>x</think>\n```", "ok"},
    {"```py\nx = 1\n</think>\n\n```py\ny\n```", true, "```py\nx = 1", "```py\ny\n```"},
    {"```\n</think>\ny\n```\nz</think>ok", true, "```\n</think>\ny\n```\nz", "ok"},
    {"<think>\n\n</think>\n\nok", false, "", "ok"},
    {"<think>again</think>x", true, "again", "x"},
    {"a<think>b</think>c", false, "", "a<think>b</think>c"},
    {"<think>a</think>\n<think>b</think>c </think> d", false, "ab", "c </think> d"},
    {"a </thin </think", true, "a </thin </think", ""},
    {"a <re</reasoning>b", true, "a <re", "b", {"<reasoning>", "</reasoning>"}},
    {"[THINK]생각[/THINK]답", false, "생각", "답", {"[THINK]", "[/THINK]"}},
    {"<think", false, "", "<think"},
    {"", true, "", ""},
    {" \n ", false, "", " \n "},
};

}  // namespace

TEST_CASE("reasoning: every transcript splits as written") {
  for (const Transcript& each : kTranscripts) {
    CAPTURE(each.text);
    const SplitText all = split({each.text}, each.inside, each.tags);
    CHECK(all.reasoning == each.reasoning);
    CHECK(all.content == each.content);
  }
}

TEST_CASE("B09: every cut point, and every byte alone, gives the same split") {
  for (const Transcript& each : kTranscripts) {
    CAPTURE(each.text);
    const std::string text = each.text;
    std::vector<std::string> bytes;
    for (size_t cut = 0; cut <= text.size(); ++cut) {
      CAPTURE(cut);
      const SplitText two = split({text.substr(0, cut), text.substr(cut)}, each.inside, each.tags);
      CHECK(two.reasoning == each.reasoning);
      CHECK(two.content == each.content);
      for (size_t second = cut; second <= text.size(); ++second) {
        const SplitText three =
            split({text.substr(0, cut), text.substr(cut, second - cut), text.substr(second)}, each.inside,
                  each.tags);
        REQUIRE(three.reasoning == each.reasoning);
        REQUIRE(three.content == each.content);
      }
      if (cut < text.size()) bytes.push_back(text.substr(cut, 1));
    }
    const SplitText single = split(bytes, each.inside, each.tags);
    CHECK(single.reasoning == each.reasoning);
    CHECK(single.content == each.content);
  }
}

TEST_CASE("reasoning: content is not held back longer than a tag could be") {
  ReasoningSplitter splitter(kThink, false);
  CHECK(splitter.push("Hello").content == "Hello");
  CHECK(splitter.push(" <think").content == " <think");
  ReasoningSplitter inside(kThink, true);
  CHECK(inside.push("so a < b").reasoning == "so a < b");
  CHECK(inside.push(" and </th").reasoning == " and");
}

TEST_CASE("reasoning: the family is found in the template, the opener in the prompt") {
  CHECK(detect_reasoning_tags("{{ '<think>' }}")->close == "</think>");
  CHECK(detect_reasoning_tags("x.split('</think>')")->open == "<think>");
  CHECK(detect_reasoning_tags("[THINK]")->close == "[/THINK]");
  CHECK_FALSE(detect_reasoning_tags("{{ 'nothing' }}").has_value());
  CHECK(prompt_opens_reasoning("<|im_start|>assistant\n<think>\n", kThink));
  CHECK_FALSE(prompt_opens_reasoning("<think>\n\n</think>\n\n", kThink));
  CHECK_FALSE(prompt_opens_reasoning("<|im_start|>assistant\n", kThink));
}
