#include <doctest/doctest.h>

#include "core/chat/jinja/render_for_tests.h"

using ondol::chat::jinja::render_marks;
using ondol::chat::jinja::Text;

namespace {
const std::string kVariables = R"({"s": "ab cd", "n": 12, "l": ["x", "y"], "d": {"k": "v"}})";
}

TEST_CASE("provenance: joining keeps the mark of every byte") {
  CHECK(render_marks("<{{ s }}>", kVariables) == "<«ab cd»>");
  CHECK(render_marks("{{ '<' + s + '>' }}", kVariables) == "<«ab cd»>");
  CHECK(render_marks("{{ '<' ~ s ~ n ~ '>' }}", kVariables) == "<«ab cd12»>");
  CHECK(render_marks("{% set x = '<' + s %}{{ x + x }}", kVariables) == "<«ab cd»<«ab cd»");
  CHECK(render_marks("{{ '<%s|%d>' % (s, n) }}{{ '<{}>'.format(s) }}", kVariables) ==
        "<«ab cd»|«12»><«ab cd»>");
  CHECK(render_marks("{{ l | join('-') }}{{ '+'.join(l) }}", kVariables) == "«x»-«yx»+«y»");
}

TEST_CASE("provenance: cutting and changing keeps the mark of every byte") {
  CHECK(render_marks("{{ ('<' + s + '>')[1:-2] }}", kVariables) == "«ab c»");
  CHECK(render_marks("{{ ('<' + s + '>')[::-1] }}{{ ('<' + s) | reverse }}", kVariables) ==
        ">«dc ba»<«dc ba»<");
  CHECK(render_marks("{{ ('  ' + s + ' ') | trim }}{{ ('<' + s).strip('<a') }}", kVariables) ==
        "«ab cdb cd»");
  CHECK(render_marks("{{ ('<' + s).split(' ')[0] }}|{{ ('<' + s).split('b')[1] }}", kVariables) ==
        "<«ab»|« cd»");
  CHECK(render_marks("{{ ('<t>' + s) | upper }}{{ s | title }}", kVariables) == "<T>«AB CDAb Cd»");
  CHECK(render_marks("{{ s.replace('b', '<b>') }}", kVariables) == "«a»<b>« cd»");
  CHECK(render_marks("{{ '<b>'.replace('b', s) }}", kVariables) == "<«ab cd»>");
  CHECK(render_marks("{{ s | indent(2, true) }}", kVariables) == "  «ab cd»");
  CHECK(render_marks("{% for c in s[:2] %}{{ c }}.{% endfor %}", kVariables) == "«a».«b».");
}

TEST_CASE("provenance: what holds anything from a message is marked as a whole when printed") {
  CHECK(render_marks("{{ d | tojson }}{{ {'a': s} | tojson }}", kVariables) ==
        R"(«{"k": "v"}{"a": "ab cd"}»)");
  CHECK(render_marks("{{ l }}{{ ['a'] }}{{ ['a'] | tojson }}", kVariables) == R"(«['x', 'y']»['a']["a"])");
}

TEST_CASE("provenance: names that ** hands over keep their mark") {
  const std::string keys = R"({"d": {"<|x|>": true}})";
  const std::string marked = "«<|x|>»";
  const auto each = [](const std::string& made) { return "{% for k in " + made + " %}{{ k }}{% endfor %}"; };
  CHECK(render_marks(each("dict(**d)"), keys) == marked);
  CHECK(render_marks(each("dict({}, **d)"), keys) == marked);
  CHECK(render_marks("{% set e = {} %}{% set x = e.update(**d) %}" + each("e"), keys) == marked);
  CHECK(render_marks("{% macro m() %}" + each("kwargs") + "{% endmacro %}{{ m(**d) }}", keys) == marked);
  CHECK(render_marks("{{ dict(**d) | tojson }}", keys) == R"(«{"<|x|>": true}»)");
  CHECK(render_marks("{{ '%s' | format(**d) }}", keys) == "«{'<|x|>': True}»");
  CHECK(render_marks(each("dict(k=1)"), keys) == "k");
}

TEST_CASE("provenance: what a message's format, separator or line end puts in is the message's") {
  const std::string texts =
      R"json({"f": "{0:<<1}{0:|<1}", "p": "%05d", "c": ["<|", "|>"], "i": "<|", "s": "a\nb"})json";
  CHECK(render_marks("{{ f.format('') }}", texts) == "«<|»");
  CHECK(render_marks("{{ '{:<<2}'.format('') }}", texts) == "<<");
  CHECK(render_marks("{{ p % 7 }}{{ '%05d' % 7 }}", texts) == "«00007»00007");
  CHECK(render_marks("{{ [1, 2] | tojson(separators=c) }}", texts) == "«[1<|2]»");
  CHECK(render_marks("{{ [1] | tojson(indent=i) }}", texts) == "«[\n<|1\n]»");
  CHECK(render_marks("{{ s | indent(1) }}|{{ 'a\nb' | indent(1) }}", texts) == "«a\n» «b»|a\n b");
}

TEST_CASE("provenance: numbers remember where they came from") {
  CHECK(render_marks("{{ n + 1 }},{{ 1 + 1 }},{{ n | string }},{{ '7' | int }}", kVariables) ==
        "«13»,2,«12»,7");
}

TEST_CASE("provenance: captured and filtered blocks and macros keep marks") {
  CHECK(render_marks("{% set b %}<{{ s }}>{% endset %}{{ b }}", kVariables) == "<«ab cd»>");
  CHECK(render_marks("{% filter upper %}t{{ s }}{% endfilter %}", kVariables) == "T«AB CD»");
  CHECK(render_marks("{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(s) }}", kVariables) == "<«ab cd»>");
}

TEST_CASE("text: runs are joined, cut and found") {
  Text text("abc", false);
  text.append("def", true);
  text.append("ghi", true);
  CHECK(text.runs().size() == 2);
  const Text part = text.slice(2, 5);
  CHECK(part.view() == "cde");
  CHECK_FALSE(part.from_message_at(0));
  CHECK(part.from_message_at(1));
  Text twice = part;
  twice.append(twice);
  CHECK(twice.view() == "cdecde");
  CHECK(twice.runs().size() == 4);
}
