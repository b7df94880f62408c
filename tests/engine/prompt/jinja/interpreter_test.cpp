// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/engine/prompt/jinja/cases.h"

namespace confab::engine::jinja {
namespace {

TEST(Interpreter, PrintsWhatJinja2Prints) {
  expect_jinja2_output("interpreter");
}

TEST(Interpreter, NamesTheLineOfAnError) {
  EXPECT_EQ(error_of("a\n{% set x = 1 %}\n{{ x.y.z }}"),
            "line 3: 'int object' has no attribute 'y'");
  EXPECT_EQ(error_of("{% for x in none %}{% endfor %}"),
            "line 1: 'NoneType' object is not iterable");
  EXPECT_EQ(error_of("{% for a, b in [1, 2] %}{% endfor %}"),
            "line 1: 'int' object is not iterable");
  EXPECT_EQ(error_of("{% set a, b = [1] %}"), "line 1: found 1 values to unpack, expected 2");
  EXPECT_EQ(error_of("{% set x = {} %}{% set x.a = 1 %}"),
            "line 1: cannot assign attribute on non-namespace object");
}

TEST(Interpreter, BoundsSteps) {
  EXPECT_THAT(error_of("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}"
                       "{% endfor %}"),
              testing::HasSubstr("runs too long"));
}

TEST(Interpreter, BoundsOutput) {
  const std::string doubling =
      "{% set ns = namespace(s='x') %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}"
      "{% endfor %}";
  EXPECT_THAT(error_of(doubling), testing::HasSubstr("is longer than 16777216"));
  EXPECT_THAT(end_within({}, "{% set s = 'x' * 9000000 %}{{ s }}{{ s }}"),
              testing::HasSubstr("the output is longer than 16777216 bytes"));
}

TEST(Interpreter, BoundsWork) {
  EXPECT_THAT(error_of("{% set s = 'x' * 9000000 %}{% for i in range(9999) %}{% set t = s + 'y' %}"
                       "{% endfor %}"),
              testing::HasSubstr("too much data"));
}

// Each of these looks at far more bytes than it makes.
TEST(Interpreter, CountsEveryByteThatIsLookedAt) {
  const std::string strings =
      "{% set b = 'x' * 1000000 %}{% set c = 'x' * 1000000 %}{% set s = ' ' * 1000000 %}"
      "{% set l = [1] * 10000 %}";
  const auto forever = [](const std::string& expression) {
    return "{% for i in range(100000) %}{{ " + expression + " }}{% endfor %}";
  };
  const std::vector<std::string> hostile = {
      "{{ (b ~ b).startswith((b ~ 'y',) * 100000) }}",
      "{{ (b ~ b).endswith(('y' ~ b,) * 100000) }}",
      forever("b.startswith(('a',) * 1000)"),
      forever("b is sameas c"),
      forever("b == c"),
      forever("b < c"),
      forever("(b, b) in ((c, c),)"),
      forever("s|trim"),
      forever("s.strip()"),
      forever("s|int"),
      forever("s.split()"),
      forever("b|truncate(5)"),
      forever("b.partition('y')[1]"),
      forever("b.removeprefix(c)"),
      forever("b.find('y')"),
      forever("b.count('y')"),
      forever("b.isalpha()"),
      forever("b is lower"),
      forever("b[-1]"),
      forever("b|wordcount"),
      forever("{b: 1}[c]"),
      forever("{b: 1}|length"),
      forever("'y' in b"),
      forever("l|first"),
      forever("{}.get(b)"),
      forever("'' | replace(b, c)"),
      "{{ ('%.1s' * 100000) % ((b,) * 100000) }}",
      "{{ ([('a', b)] * 100000)|urlencode }}",
      "{{ ([1] * 100000)|map(attribute=b)|list }}",
      "{{ ([1] * 100000)|map('default', b)|list }}",
      "{{ ('\n' * 4000000)|indent }}",
      "{{ ('\n' * 4000000).splitlines() }}",
      "{{ ('%.1000g' * 1000000) % ((0.1,) * 1000000) }}",
      "{{ ('\u00e9' * 2000000).swapcase() }}",
      "{{ ('\u00e9 ' * 2000000)|title }}",
      "{{ ('\u00e9' * 2000000)|wordcount }}",
  };
  for (const std::string& source : hostile) {
    EXPECT_THAT(
        end_within({.work_bytes = std::size_t{24} << 20U}, strings + source),
        testing::AnyOf(testing::HasSubstr("too much data"), testing::HasSubstr("step limit")))
        << source;
  }
}

// Calls whose arguments are many.
TEST(Interpreter, CountsArguments) {
  std::string parameters, dict;
  for (int i = 0; i < 20'000; ++i) {
    parameters += "p" + std::to_string(i) + "=1,";
    dict += "'k" + std::to_string(i) + "':1,";
  }
  const Limits few{.work_bytes = std::size_t{16} << 20U};
  EXPECT_THAT(end_within(few, "{% macro m(" + parameters +
                                  ") %}{{ kwargs }}{% endmacro %}{{ m(**{" + dict + "}) }}"),
              testing::HasSubstr("too much data"));
  EXPECT_THAT(
      end_within(few, "{{ ('{z}' * 1000000).format(**{" + dict + "'z':1}) }}"),
      testing::AnyOf(testing::HasSubstr("too much data"), testing::HasSubstr("step limit")));
}

TEST(Interpreter, BoundsNestedValues) {
  EXPECT_THAT(error_of("{% set ns = namespace(l=[]) %}{% for i in range(999) %}"
                       "{% set ns.l = [ns.l] %}{% endfor %}"),
              testing::HasSubstr("values nest deeper than 64"));
  EXPECT_THAT(error_of("{% set ns = namespace(l=[]) %}{% for i in range(50) %}"
                       "{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}"),
              testing::HasSubstr("runs too long"));
}

// What is small, because its parts are the same ones, and large to whoever visits them all.
TEST(Interpreter, CountsEveryVisitOfASharedValue) {
  const std::string shared =
      "{% set ns = namespace(l=(), m=()) %}{% for i in range(50) %}{% set ns.l = (ns.l, ns.l) %}"
      "{% set ns.m = (ns.m, ns.m) %}{% endfor %}";
  for (const char* visit : {"ns.l == ns.m", "ns.l < ns.m", "{ns.l: 1}|length"}) {
    EXPECT_THAT(error_of(shared + "{{ " + visit + " }}"), testing::HasSubstr("step limit"))
        << visit;
  }
}

TEST(Interpreter, ANamespaceMayHoldItself) {
  EXPECT_EQ(render("{% set a = namespace() %}{% set a.me = a %}{{ a.me.me is sameas a }}"), "True");
}

TEST(Interpreter, MarksPassThroughBlocks) {
  EXPECT_THAT(typed_parts("{% set x %}<{{ messages[0].content }}>{% endset %}[{{ x }}]", "hi"),
              testing::ElementsAre("hi"));
  EXPECT_THAT(typed_parts("{% set ns = namespace(s='') %}{% for m in messages %}"
                          "{% set ns.s = ns.s + '<' + m.content + '>' %}{% endfor %}{{ ns.s }}",
                          "hi"),
              testing::ElementsAre("hi"));
  EXPECT_THAT(typed_parts("{% for c in messages[0].content %}{{ c }}-{% endfor %}", "ab"),
              testing::ElementsAre("a", "b"));
}

TEST(Evaluate, PrintsWhatJinja2Prints) {
  expect_jinja2_output("evaluate");
}

TEST(Evaluate, UndefinedFailsWhereItIsUsed) {
  EXPECT_EQ(error_of("{{ x.y }}"), "line 1: 'x' is undefined");
  EXPECT_EQ(error_of("{{ x + 1 }}"), "line 1: 'x' is undefined");
  EXPECT_EQ(error_of("{{ x() }}"), "line 1: 'x' is undefined");
  EXPECT_EQ(error_of("{{ -x }}"), "line 1: 'x' is undefined");
  EXPECT_EQ(error_of("{{ x < 1 }}"), "line 1: 'x' is undefined");
  EXPECT_EQ(error_of("{{ d.a.b }}", R"({"d": {}})"), "line 1: 'dict object' has no attribute 'a'");
  EXPECT_EQ(error_of("{{ none.split() }}"), "line 1: 'None' has no attribute 'split'");
}

TEST(Evaluate, NamesUnknownFiltersAndTests) {
  EXPECT_EQ(error_of("{{ 1|nope }}"), "line 1: no filter 'nope'");
  EXPECT_EQ(error_of("{{ 1 is nope }}"), "line 1: no test 'nope'");
  EXPECT_EQ(render("{% if false %}{{ 1|nope }}{% endif %}"), "");
}

TEST(Evaluate, RefusesWhatChangesAList) {
  EXPECT_EQ(error_of("{{ l.append(1) }}", R"({"l": []})"),
            "line 1: access to attribute 'append' of 'list' object is unsafe.");
}

TEST(Evaluate, MarksSurviveConcatenation) {
  EXPECT_THAT(typed_parts("{{ '<a>' + messages[0].content + '<b>' ~ messages[0].content }}", "hi"),
              testing::ElementsAre("hi", "hi"));
  EXPECT_THAT(typed_parts("{{ messages[0]['content'] if messages else '' }}", "hi"),
              testing::ElementsAre("hi"));
  EXPECT_TRUE(
      typed_parts("{{ 'You are helpful.' }}{{ messages[0].content|length }}", "hi").empty());
}

TEST(Macro, PrintsWhatJinja2Prints) {
  expect_jinja2_output("macro");
}

TEST(Macro, RefusesWrongArguments) {
  const std::string macro = "{% macro m(a) %}{{ a }}{% endmacro %}";
  EXPECT_EQ(error_of(macro + "{{ m(1, 2) }}"),
            "line 1: macro 'm' takes not more than 1 argument(s)");
  EXPECT_EQ(error_of(macro + "{{ m(b=2) }}"), "line 1: macro 'm' takes no keyword argument 'b'");
  EXPECT_EQ(error_of(macro + "{{ m(1, a=2) }}"), "line 1: macro 'm': 'a' is given twice");
}

TEST(Macro, BoundsRecursion) {
  EXPECT_THAT(error_of("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
              testing::HasSubstr("deeper than 64"));
}

TEST(Macro, OutlivesItsScope) {
  EXPECT_EQ(render("{% set ns = namespace() %}{% for i in [1] %}{% macro m() %}[{{ i }}]"
                   "{% endmacro %}{% set ns.m = m %}{% endfor %}{{ ns.m() }}"),
            "[]");
}

TEST(Macro, MarksPassThrough) {
  EXPECT_THAT(typed_parts("{% macro m(x) %}<|im_start|>{{ x }}<|im_end|>{% endmacro %}"
                          "{{ m(messages[0].content)|trim }}",
                          "hi"),
              testing::ElementsAre("hi"));
  EXPECT_THAT(typed_parts("{% macro m() %}<{{ caller() }}>{% endmacro %}"
                          "{% call m() %}{{ messages[0].content }}!{% endcall %}",
                          "hi"),
              testing::ElementsAre("hi"));
}

}  // namespace
}  // namespace confab::engine::jinja
