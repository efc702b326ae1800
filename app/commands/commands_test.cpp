#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/json_lines.h"
#include "app/commands/progress_line.h"
#include "app/commands/verbs.h"

namespace ondol::commands {
namespace {

using nlohmann::json;

constexpr Verb kVerbs[] = {{"serve", "", nullptr}, {"eval", "", nullptr}, {"tokenize", "", nullptr}};

int parse(CLI::App& app, std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return parse_command_line(app, static_cast<int>(argv.size()), argv.data()).value_or(-1);
}

TEST_CASE("verbs: a slip of the finger is corrected, another word is not") {
  CHECK(nearest_verb(kVerbs, "tokenise") == "tokenize");
  CHECK(nearest_verb(kVerbs, "srever") == "serve");
  CHECK(nearest_verb(kVerbs, "serv") == "serve");
  CHECK(nearest_verb(kVerbs, "frobnicate").empty());
  CHECK(nearest_verb(kVerbs, "").empty());
  CHECK(nearest_verb(kVerbs, std::string(100000, 'x')).empty());
}

TEST_CASE("verbs: edit distance counts a swap of neighbours once") {
  CHECK(edit_distance("bench", "bnech") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("command line: help is success, an unknown option is wrong usage") {
  const auto fresh = [] {
    auto app = std::make_unique<CLI::App>("test");
    return app;
  };
  CHECK(parse(*fresh(), {"verb"}) == -1);
  CHECK(parse(*fresh(), {"verb", "--help"}) == kExitOk);
  CHECK(parse(*fresh(), {"verb", "--no-such-option"}) == kExitUsage);
}

TEST_CASE("errors: a file is named once") {
  CHECK(about_file({Code::kNotFound, "is missing", "a.gguf: key"}, "a.gguf").text() ==
        "a.gguf: key: is missing");
  CHECK(about_file({Code::kUnsupported, "is unknown", "pre"}, "a.gguf").text() == "a.gguf: pre: is unknown");
}

TEST_CASE("json lines: token ids are whole numbers of 31 bits") {
  CHECK(token_ids(json::parse(R"({"ids":[0,2147483647]})"), "ids")->size() == 2);
  CHECK(token_ids(json::parse(R"({"ids":[]})"), "ids")->empty());
  for (const char* bad :
       {R"({})", R"({"ids":3})", R"({"ids":[-1]})", R"({"ids":[1.5]})", R"({"ids":["1"]})",
        R"({"ids":[2147483648]})", R"({"ids":[18446744073709551615]})", R"({"ids":[null]})"}) {
    CAPTURE(bad);
    const auto ids = token_ids(json::parse(bad), "ids");
    REQUIRE(!ids);
    CHECK(ids.error().where == "ids");
  }
}

TEST_CASE("json lines: a whole number outside its range is refused, a missing one has its default") {
  const json request = json::parse(R"({"a":5,"b":0,"c":1.0,"d":18446744073709551615})");
  CHECK(*whole_number(request, "a", 1, 5, 0) == 5);
  CHECK(*whole_number(request, "x", 1, 5, 7) == 7);
  CHECK(!whole_number(request, "b", 1, 5, 0));
  CHECK(!whole_number(request, "c", 1, 5, 0));
  CHECK(!whole_number(request, "d", 1, 5, 0));
}

TEST_CASE("json lines: a bad line is answered in its place and fails the run") {
  std::istringstream in("{\"n\":1}\nnot json\n[]\n{\"n\":2}\n");
  int handled = 0;
  const int code = answer_json_lines(in, [&](const json&) {
    ++handled;
    return Result<std::string>(std::string("{}"));
  });
  CHECK(code == kExitFailed);
  CHECK(handled == 2);
}

TEST_CASE("progress: shares outside 0 to 1 are drawn as its ends") {
  CHECK(progress_text("x", 0.5) == "[##########----------]  50 %  x");
  CHECK(progress_text("x", -1) == "[--------------------]   0 %  x");
  CHECK(progress_text("x", 7) == "[####################] 100 %  x");
  CHECK(progress_text("x", std::nan("")) == "[--------------------]   0 %  x");
}

}  // namespace
}  // namespace ondol::commands
