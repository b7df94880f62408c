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

}  // namespace
}  // namespace confab::engine::jinja
