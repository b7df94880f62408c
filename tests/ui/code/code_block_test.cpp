// SPDX-License-Identifier: MIT
#include "ui/code/code_block.h"

#include <gtest/gtest.h>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

std::string code(std::string_view text, int width) {
  std::vector<Line> lines;
  append_code(lines, text, Cols{width}, Highlighter(""));
  return to_text(lines);
}

TEST(CodeTopTest, NamesTheLanguageByItsFirstWord) {
  EXPECT_EQ(to_text(code_top("python title=\"x\"", Cols{20})), "╭ python ───────────");
  EXPECT_EQ(to_text(code_top(" \tc++", Cols{12})), "╭ c++ ──────");
  EXPECT_EQ(code_top("python", Cols{20}).spans[1], (Span{" python ", {.role = Role::code_label}}));
}

TEST(CodeTopTest, IsAsWideAsThereIsRoom) {
  EXPECT_EQ(to_text(code_top("javascript", Cols{14})), "╭ javascript ─");
  EXPECT_EQ(to_text(code_top("javascript", Cols{8})), "╭ jav… ─");
  EXPECT_EQ(to_text(code_top("javascript", Cols{5})), "java…");
  EXPECT_EQ(to_text(code_top("javascript", Cols{1})), "…");
}

TEST(CodeTopTest, IsARuleWithoutALanguage) {
  for (const char* info : {"", "  "}) {
    EXPECT_EQ(to_text(code_top(info, Cols{4})), "╭───");
    EXPECT_EQ(to_text(code_top(info, Cols{1})), "╭");
  }
}

TEST(CodeBottomTest, IsARule) {
  EXPECT_EQ(to_text(code_bottom(Cols{4})), "╰───");
  EXPECT_EQ(code_bottom(Cols{1}).spans, (std::vector<Span>{{"╰", {.role = Role::rule}}}));
}

TEST(CodeTest, IsIndentedAndKeepsItsSpaces) {
  EXPECT_EQ(code("a  b\n\n    c\n", 20), "  a  b\n\n      c\n");
  EXPECT_EQ(code("\tx\n", 20), "      x\n");
  EXPECT_EQ(code("", 20), "");
  EXPECT_EQ(code("no newline", 20), "  no newline\n");
}

TEST(CodeTest, LongLinesGoOnBelowUnderAMark) {
  EXPECT_EQ(code("abcdefghij\n", 6), "  abcd\n↪ efgh\n↪ ij\n");
  std::vector<Line> lines;
  Highlighter none("");
  append_code_line(lines, "abcdefghij", Cols{6}, none);
  EXPECT_EQ(lines[0].spans[0].style.role, Role::code_block);
  EXPECT_EQ(lines[1].spans[0], (Span{"↪ ", {.role = Role::dim}}));
}

TEST(CodeTest, LinesThatGoOnBelowKeepTheirColours) {
  std::vector<Line> lines;
  append_code(lines, "x = \"abcd\"\n", Cols{8}, Highlighter("python"));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].spans.back(), (Span{"\"a", {.role = Role::code_string}}));
  EXPECT_EQ(lines[1].spans.back(), (Span{"bcd\"", {.role = Role::code_string}}));
}

TEST(CodeTest, CommentsGoOnFromLineToLine) {
  std::vector<Line> lines;
  append_code(lines, "/* a\n b */\nint\n", Cols{20}, Highlighter("c"));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[1].spans[0].style.role, Role::code_comment);
  EXPECT_EQ(lines[2].spans[0].style.role, Role::code_type);
}

TEST(CodeTest, NarrowScreensHaveNoIndent) {
  EXPECT_EQ(code("abcdef\n", 5), "abcde\nf\n");
  EXPECT_EQ(code("ab\n", 1), "a\nb\n");
}

TEST(ParseFenceTest, TakesThreeMarksOrMore) {
  ASSERT_TRUE(parse_fence("```"));
  EXPECT_EQ(parse_fence("  ~~~~ info")->mark, '~');
  EXPECT_EQ(parse_fence("  ~~~~ info")->length, 4);
  EXPECT_EQ(parse_fence("  ~~~~ info")->indent, 2);
  EXPECT_TRUE(parse_fence("~~~ a`b"));
}

TEST(ParseFenceTest, RefusesWhatIsNone) {
  for (const char* line : {"", "``", "``` a`b", "    ```", "\t```", "a```", "`~`"})
    EXPECT_FALSE(parse_fence(line)) << line;
}

TEST(ClosesTest, NeedsAsManyOfTheSameMark) {
  const Fence fence = *parse_fence("````");
  EXPECT_TRUE(closes(fence, "````"));
  EXPECT_TRUE(closes(fence, "   `````  \t"));
  for (const char* line : {"```", "~~~~", "    ````", "```` x", ""})
    EXPECT_FALSE(closes(fence, line)) << line;
}

TEST(StripIndentTest, TakesAtMostTheFencesIndent) {
  const Fence fence = *parse_fence("  ```");
  EXPECT_EQ(strip_indent(fence, "    a"), "  a");
  EXPECT_EQ(strip_indent(fence, " a"), "a");
  EXPECT_EQ(strip_indent(fence, "a"), "a");
  EXPECT_EQ(strip_indent(fence, "\ta"), "  a");
  EXPECT_EQ(strip_indent(fence, " \ta"), "  a");
  EXPECT_EQ(strip_indent(fence, "  \ta"), "\ta");
  EXPECT_EQ(strip_indent(*parse_fence("```"), "\ta"), "\ta");
}

}  // namespace
}  // namespace confab::ui
