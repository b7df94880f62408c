// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/wrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/prompt/jinja/unicode.h"
#include "tests/engine/prompt/jinja/cases.h"

namespace confab::engine::jinja {
namespace {

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

}  // namespace
}  // namespace confab::engine::jinja
