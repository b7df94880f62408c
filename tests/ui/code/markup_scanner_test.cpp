// SPDX-License-Identifier: MIT
#include "ui/code/markup_scanner.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/ui/code/highlight_marks.h"

namespace confab::ui {
namespace {

std::string scanned(std::string_view markup) {
  MarkupState state;
  std::string out;
  std::istringstream lines{std::string(markup)};
  for (std::string line; std::getline(lines, line);) {
    SpanWriter spans(line);
    scan_markup(state, line, spans);
    out += (out.empty() ? "" : "\n") + marked(spans.take());
  }
  return out;
}

TEST(ScanMarkupTest, TellsTagsAttributesAndEntities) {
  EXPECT_EQ(scanned("<a href=\"x\" b='y'>t &amp; u</a>"),
            "[keyword|<a] [type|href]=[string|\"x\"] [type|b]=[string|'y'][keyword|>]t "
            "[number|&amp;] u[keyword|</a>]");
  EXPECT_EQ(scanned("a < b & c <3 &;"), "a < b & c <3 &;");
}

TEST(ScanMarkupTest, SectionsGoOnFromLineToLine) {
  EXPECT_EQ(scanned("<!-- a\n<b> --><c/>"),
            "[comment|<!-- a]\n[comment|<b> -->][keyword|<c]/[keyword|>]");
  EXPECT_EQ(scanned("<?xml v=\"1\"?><![CDATA[<x>]]>"),
            "[meta|<?xml v=\"1\"?>][string|<![CDATA[<x>]]>]");
  EXPECT_EQ(scanned("<a b=\"c\nd\">"),
            "[keyword|<a] [type|b]=[string|\"c]\n[string|d\"][keyword|>]");
}

TEST(ScanMarkupTest, ScriptsAndStylesAreCode) {
  EXPECT_EQ(scanned("<script>if (a) /* x\n*/ b</SCRIPT>if"),
            "[keyword|<script>if] (a) [comment|/* x]\n[comment|*/] b[keyword|</SCRIPT>]if");
  EXPECT_EQ(scanned("<style>\na { color: red }\n</style>"),
            "[keyword|<style>]\na { [type|color]: red }\n[keyword|</style>]");
  EXPECT_EQ(scanned("<script/>if"), "[keyword|<script]/[keyword|>]if");
}

}  // namespace
}  // namespace confab::ui
