#include <doctest/doctest.h>

#include "core/chat/jinja/render_for_tests.h"

using ondol::chat::jinja::Limits;
using ondol::chat::jinja::render;

TEST_CASE("template: white space follows trim_blocks, lstrip_blocks and the signs") {
  CHECK(render("a\n  {% if true %}\nb\n  {% endif %}\nc\n") == "a\nb\nc");
  CHECK(render("a {%- if true -%} b {%- endif -%} c") == "abc");
  CHECK(render("  {%+ if true %}x{% endif %}") == "  x");
  CHECK(render("{% if true +%}\nx{% endif %}") == "\nx");
  CHECK(render("{# note #}\nx") == "x");
  CHECK(render("  {{ 1 }}\n") == "  1");
  CHECK(render("a\r\nb\rc") == "a\nb\nc");
  CHECK(render("{% raw %}{{ x }}{% endraw %}") == "{{ x }}");
}

TEST_CASE("template: expressions have Python's precedence and meaning") {
  CHECK(render("{{ 1 + 2 * 3 ** 2 - 7 // 2 }}") == "16");
  CHECK(render("{{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 2 ** -1 }}") == "-4 2 3.5 0.5");
  CHECK(render("{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ not 1 == 2 }}") == "True False True");
  CHECK(render("{{ 'a' ~ 1 ~ none ~ true }}") == "a1NoneTrue");
  CHECK(render("{{ 'x' if false }}|{{ 'x' if 0 else 'y' }}") == "|y");
  CHECK(render("{{ [1, 'a', none, 1.0, {'k': (1,)}] }}") == "[1, 'a', None, 1.0, {'k': (1,)}]");
  CHECK(render("{{ 'abc'[::-1] }} {{ [1,2,3][-2:] }} {{ '안녕하세요'[1:3] }}") == "cba [2, 3] 녕하");
  CHECK(render("{{ 'b' in 'abc' }} {{ 2 not in [1] }} {{ 'k' in {'k': 1} }}") == "True True True");
  CHECK(render("{{ 1e16 }} {{ 0.1 + 0.2 }} {{ 1.0 }} {{ 1e-5 }}") == "1e+16 0.30000000000000004 1.0 1e-05");
  CHECK(render("{{ '%s is %05.1f' % ('x', 2.25) }} {{ '{} {b:>4}'.format(1, b='y') }}") ==
        "x is 002.2 1    y");
}

TEST_CASE("template: undefined prints as nothing, but using it is an error") {
  CHECK(render("[{{ x }}]{{ x is defined }}{{ x|default('d') }}{% for i in x %}{% endfor %}") == "[]Falsed");
  CHECK(render("{{ x.y }}").find("'x' is undefined") != std::string::npos);
  CHECK(render("{{ m.a }}{{ m.a.b }}", R"({"m":{}})").find("has no attribute 'a'") != std::string::npos);
  CHECK(render("{{ x + 1 }}").starts_with("error: "));
}

TEST_CASE("template: loops know their place, can filter, break and continue") {
  CHECK(render("{% for x in [5,6,7] %}{{ loop.index }}/{{ loop.length }}{{ '' if loop.last else ',' }}{% "
               "endfor %}") == "1/3,2/3,3/3");
  CHECK(render("{% for x in range(6) if x is odd %}{{ x }}{{ loop.revindex0 }} {% else %}none{% endfor %}") ==
        "12 31 50 ");
  CHECK(render("{% for x in [] %}{% else %}none{% endfor %}") == "none");
  CHECK(render("{% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }}={{ v }};{% endfor %}") == "a=1;b=2;");
  CHECK(render("{% for x in range(9) %}{% if x == 2 %}{% continue %}{% endif %}{% if x > 3 %}{% break %}{% "
               "endif %}"
               "{{ x }}{% endfor %}") == "013");
}

TEST_CASE("template: a name set in a loop is gone after it, a namespace is not") {
  CHECK(render("{% set a = 1 %}{% for x in [1] %}{% set a = 2 %}{{ a }}{% endfor %}{{ a }}") == "21");
  CHECK(render("{% set n = namespace(a=1) %}{% for x in [1] %}{% set n.a = 2 %}{% endfor %}{{ n.a }}") ==
        "2");
  CHECK(render("{% if true %}{% set a = 3 %}{% endif %}{{ a }}") == "3");
  CHECK(render("{% set a | upper %}x{{ 1 }}{% endset %}{{ a }}") == "X1");
}

TEST_CASE("template: macros take defaults, names, varargs and a caller") {
  CHECK(render("{% macro m(a, b='B') %}[{{ a }}{{ b }}]{% endmacro %}{{ m(1) }}{{ m(b=2, a=3) }}") ==
        "[1B][32]");
  CHECK(render("{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, k=3) }}") ==
        "(1, 2){'k': 3}");
  CHECK(render("{% macro m(x) %}<{{ caller(x) }}>{% endmacro %}{% call(y) m(7) %}{{ y + 1 }}{% endcall %}") ==
        "<8>");
  CHECK(render("{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}").find("takes not more than 1") !=
        std::string::npos);
  CHECK(render("{% filter upper %}a{{ 'b' }}{% endfilter %}") == "AB");
  CHECK(render("{% generation %}x{% endgeneration %}{% with q = 2 %}{{ q }}{% endwith %}") == "x2");
}

TEST_CASE("template: tojson writes as Python does, without HTML escapes") {
  const std::string v =
      R"({"v": {"b": [1, 2.50, 123456789012345678901234567890, true, null], "a": "<é\"\n>"}})";
  CHECK(render("{{ v | tojson }}", v) ==
        R"({"b": [1, 2.5, 123456789012345678901234567890, true, null], "a": "<é\"\n>"})");
  CHECK(render("{{ v.b[:1] | tojson(indent=2) }}", v) == "[\n  1\n]");
  CHECK(render("{{ {'b': [], 'a': {}} | tojson(indent=1, sort_keys=true) }}") ==
        "{\n \"a\": {},\n \"b\": []\n}");
  CHECK(render("{{ v.a | tojson(ensure_ascii=true) }}", v) == R"("<\u00e9\"\n>")");
  CHECK(render("{{ [1, 2] | tojson(separators=(',', ':')) }}") == "[1,2]");
}

TEST_CASE("template: filters over lists") {
  const std::string m = R"({"m": [{"r": "u", "n": 2}, {"r": "a", "n": 1}, {"r": "u", "n": 3}]})";
  CHECK(render("{{ m | selectattr('r', 'equalto', 'u') | map(attribute='n') | list }}", m) == "[2, 3]");
  CHECK(render("{{ m | rejectattr('r', 'in', ['u']) | list | length }}", m) == "1");
  CHECK(render("{{ m | sort(attribute='n') | map(attribute='n') | join('-') }}", m) == "1-2-3");
  CHECK(render("{% for k, g in m | groupby('r') %}{{ k }}{{ g | length }}{% endfor %}", m) == "a1u2");
  CHECK(render("{{ {'b': 1, 'a': 2} | dictsort }} {{ [3, 1] | sort }} {{ ['b', 'A'] | sort }}") ==
        "[('a', 2), ('b', 1)] [1, 3] ['A', 'b']");
  CHECK(render("{{ (m | selectattr('r'))|length }}", m).find("has no len()") != std::string::npos);
}

TEST_CASE("template: an error says line and column") {
  CHECK(render("ab\n  {% if %}").starts_with("error: 2:9: "));
  CHECK(render("{{ 'x' }}\n{{ nope() }}").starts_with("error: 2:"));
  CHECK(render("{% for x in [1] %}").find("expected 'endfor'") != std::string::npos);
  CHECK(render("{% frob %}").find("unknown tag 'frob'") != std::string::npos);
  CHECK(render("{{ 1 | frob }}").find("No filter named 'frob'") != std::string::npos);
  CHECK(render("{{ 'abc }}").find("not closed") != std::string::npos);
}

TEST_CASE("template: a hostile template hits a limit, not the machine") {
  Limits small;
  small.steps_max = 100'000;
  small.output_bytes_max = 1 << 20;
  small.heap_bytes_max = 16 << 20;
  const auto fails = [&](const std::string& source) {
    return render(source, "{}", small).starts_with("error: ");
  };
  CHECK(fails("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"));
  CHECK(fails("{% set n = namespace(s='x') %}{% for i in range(99) %}{% set n.s = n.s ~ n.s %}{% endfor %}"));
  CHECK(fails("{{ 'x' * 999999999999 }}"));
  CHECK(fails("{{ [1] * 999999999999 }}"));
  CHECK(fails("{{ range(999999999) }}"));
  CHECK(fails("{{ '%999999999d' % 1 }}"));
  CHECK(fails("{{ 'x'.center(999999999999) }}"));
  CHECK(fails("{{ 'x' | indent(999999999999, true) }}"));
  CHECK(fails("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"));
  CHECK(fails("{% set n = namespace() %}{% set n.n = n %}{{ n }}"));
  CHECK(fails(
      "{% set n = namespace(l=[]) %}{% for i in range(300) %}{% set n.l = [n.l] %}{% endfor %}{{ n.l }}"));
  CHECK(
      fails("{% set n = namespace(l=[1]) %}{% for i in range(40) %}{% set n.l = [n.l, n.l] %}{% endfor %}"
            "{{ n.l | tojson }}"));
  CHECK(fails("{{ 9223372036854775807 + 1 }}"));
}

TEST_CASE("template: deep nesting is refused by the parser") {
  const auto repeat = [](const std::string& what, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += what;
    return out;
  };
  for (const char* open :
       {"(", "[", "{'a':", "x(", "x[", "not ", "-", "x|f(", "1 if x else ", "x+", "x.y", "x is y(x,"}) {
    CAPTURE(open);
    CHECK(render("{{ " + repeat(open, 100'000)).starts_with("error: "));
  }
  CHECK(render(repeat("{% if x %}", 50'000)).starts_with("error: "));
  CHECK(render(repeat("{% for x in y %}", 50'000)).starts_with("error: "));
  CHECK(render("{{ " + repeat("x.", 100'000) + "x }}").starts_with("error: "));
  CHECK(render("{{ 1" + repeat(" ~ 1", 20'000) + " }}").size() == 20'001);
}
