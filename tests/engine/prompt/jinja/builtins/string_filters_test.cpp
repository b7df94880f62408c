// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/string_filters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/prompt/jinja/unicode.h"
#include "tests/engine/prompt/jinja/cases.h"

namespace confab::engine::jinja {
namespace {

TEST(StringFilters, PrintsWhatJinja2Prints) {
  expect_jinja2_output("string_filters");
}

TEST(StringFilters, KeepOrRemake) {
  EXPECT_THAT(typed_parts("<{{ messages[0].content|trim }}>", "  a b "),
              testing::ElementsAre("a b"));
  EXPECT_THAT(typed_parts("<{{ ('x' + messages[0].content)|upper }}>", "ab"),
              testing::ElementsAre("XAB"));
  EXPECT_THAT(typed_parts("{{ messages[0].content|indent(2) }}", "a\nb"),
              testing::ElementsAre("a", "b"));
  EXPECT_THAT(typed_parts("{{ 'a-b'|replace('-', messages[0].content) }}", "|"),
              testing::ElementsAre("|"));
  EXPECT_THAT(typed_parts("{{ '%s!'|format(messages[0].content) }}", "hi"),
              testing::ElementsAre("hi"));
}

TEST(StringFilters, BoundWidths) {
  EXPECT_EQ(error_of("{{ 'a'|center(999999999999) }}"), "line 1: the width is too large");
  EXPECT_EQ(error_of("{{ 'a'|indent(999999999999) }}"), "line 1: indent: the width is too large");
  EXPECT_EQ(error_of("{{ 'abcdefghij'|truncate(2) }}"),
            "line 1: truncate: the length is smaller than that of the end");
}

TEST(Wrap, PrintsWhatJinja2Prints) {
  expect_jinja2_output("wrap");
}

TEST(Wrap, EveryWidthKeepsTheWords) {
  Runtime runtime({}, {});
  const Text text("The quick-brown fox--jumps \u00fcber extraordinarily  long words");
  std::string words;
  for (const char c : text.view()) words += c == ' ' ? "" : std::string(1, c);
  for (std::size_t width = 1; width < 70; ++width) {
    std::string joined;
    for (const Text& line : wrap_line(runtime, text, {.width = width})) {
      EXPECT_LE(count_chars(line.view()), width);
      for (const char c : line.view()) joined += c == ' ' ? "" : std::string(1, c);
    }
    EXPECT_EQ(joined, words) << width;
  }
}

TEST(Wrap, IsLinearInARunOfHyphens) {
  EXPECT_EQ(render("{{ ('a' ~ '-' * 400000 ~ ' b')|wordwrap(1000000) }}").size(), 400'003U);
}

TEST(Wrap, RefusesNoWidth) {
  EXPECT_EQ(error_of("{{ 'a'|wordwrap(0) }}"),
            "line 1: wordwrap: found width 0, expected at least 1");
}

TEST(HtmlFilters, PrintsWhatJinja2Prints) {
  expect_jinja2_output("html_filters");
}

TEST(HtmlFilters, KeepsTheMarksOfWhatWasTyped) {
  EXPECT_THAT(typed_parts("<b>{{ (messages[0].content|e) + '<' }}</b>", "a<b"),
              testing::ElementsAre("a&lt;b"));
  EXPECT_THAT(typed_parts("{{ '<x> a &amp; b'|striptags }}{{ messages[0].content|striptags }}",
                          "<i>t &lt; u</i>"),
              testing::ElementsAre("t", "<", "u"));
}

TEST(HtmlFilters, RefusesWhatIsNoAttribute) {
  EXPECT_EQ(error_of("{{ {'a b': 1}|xmlattr }}"),
            "line 1: xmlattr: 'a b' is not an attribute name");
  EXPECT_EQ(error_of("{{ [1]|xmlattr }}"), "line 1: xmlattr: found list, expected a mapping");
}

}  // namespace
}  // namespace confab::engine::jinja
