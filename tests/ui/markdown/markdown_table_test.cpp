// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_table.h"

#include <gtest/gtest.h>

#include <string>

#include "ui/markdown/markdown.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

std::string text(std::string_view markdown, int width = 40) {
  return to_text(render_markdown(markdown, Cols{width}).lines);
}

constexpr std::string_view kSmall = "a │ b\n──┼──\n1 │ 2\n";

TEST(MarkdownTableTest, OuterPipesAreOptional) {
  for (const char* markdown : {"| a | b |\n|---|---|\n| 1 | 2 |", "a|b\n-|-\n1|2",
                               "|a|b\n|:-|-\n|1|2", "  a | b  \n :- | - \n 1 | 2 "})
    EXPECT_EQ(text(markdown), kSmall) << markdown;
}

TEST(MarkdownTableTest, TheDelimiterRowDecides) {
  for (const char* markdown : {"| a | b |\n|---|\n| 1 | 2 |", "| a | b |\n| - | x |", "| a |\n---",
                               "|---|---|\n| 1 | 2 |", "    | a |\n    |---|"})
    EXPECT_EQ(text(markdown).find("┼"), std::string::npos) << markdown;
}

TEST(MarkdownTableTest, ShortRowsArePaddedAndLongOnesKeepAllInTheirLastCell) {
  EXPECT_EQ(text("|a|b|\n|-|-|\n|1|\n|1|2|3|\nx"), "a │ b\n──┼──────\n1 │\n1 │ 2 | 3\nx │\n");
}

TEST(MarkdownTableTest, PipesInCodeArePartOfACellWhereTheRowHasTooMany) {
  EXPECT_EQ(text("|Op|Means|\n|-|-|\n|`a | b`|Union|\n|``x`|y``|z|"),
            "Op    │ Means\n──────┼──────\na | b │ Union\nx`|y  │ z\n");
}

TEST(MarkdownTableTest, EscapedPipesArePartOfACell) {
  EXPECT_EQ(text("|a|b|\n|-|-|\n|`x\\|y`|\\|\\\\|"), "a   │ b\n────┼───\nx|y │ |\\\n");
}

TEST(MarkdownTableTest, CellsHoldInlinesAndNothingElse) {
  EXPECT_EQ(text("|# a|- b|\n|-|-|\n|1. x|> _y_|\n|***|C #|\n|`|\\"),
            "# a  │ - b\n─────┼────\n1. x │ > y\n***  │ C #\n`    │ \\\n");
  EXPECT_EQ(text("|a|\n|-|\n|x<br>y|"), "a\n─\nx\ny\n");
}

TEST(MarkdownTableTest, TextBeforeATableIsAParagraph) {
  EXPECT_EQ(text("some *text*\nmore\n|a|b|\n|-|-|\n|1|2|\n\nafter"),
            "some text more\n\n" + std::string(kSmall) + "\nafter\n");
}

TEST(MarkdownTableTest, StandsInQuotesAndItems) {
  EXPECT_EQ(text("> |a|b|\n> |-|-|\n> |1|2|"), "│ a │ b\n│ ──┼──\n│ 1 │ 2\n");
  EXPECT_EQ(text("- |a|b|\n  |-|-|\n  |1|2|"), "• a │ b\n  ──┼──\n  1 │ 2\n");
  EXPECT_EQ(text("> 1. x\n>    > t\n>    > |a|b|\n>    > |-|-|\n>    > |1|2|"),
            "│ 1. x\n│    │ t\n│    │\n│    │ a │ b\n│    │ ──┼──\n│    │ 1 │ 2\n");
}

TEST(MarkdownTableTest, DefinitionsReachCells) {
  const std::string markdown =
      "|a|\n|-|\n|[x]|\n|[y]|\n\n```\n[y]: /no\n```\n\n[x]: /u\n\n> [y]:\n> /v\n";
  std::vector<std::string> targets;
  for (const MarkdownPart& part : render_markdown(markdown, Cols{40}).parts)
    if (part.kind == MarkdownPart::Kind::link) targets.push_back(part.source);
  EXPECT_EQ(targets, (std::vector<std::string>{"/u", "/v"}));
}

TEST(MarkdownTableTest, IsAPartWithItsSource) {
  const std::vector<MarkdownPart> parts =
      render_markdown("> t\n> | a | [b](/u) |\n> |---|---|\n> | 1 | 2 |", Cols{40}).parts;
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0], (MarkdownPart{MarkdownPart::Kind::table, 2, 3,
                                    "| a | [b](/u) |\n|---|---|\n| 1 | 2 |\n"}));
  EXPECT_EQ(parts[1], (MarkdownPart{MarkdownPart::Kind::link, 2, 1, "/u"}));
}

// Rows that are not there cost nothing, nor does a header that every record would repeat.
TEST(MarkdownTableTest, SizeIsHarmless) {
  std::string markdown;
  for (int i = 0; i < 20000; ++i) markdown += "|a";
  markdown += "|\n";
  for (int i = 0; i < 20000; ++i) markdown += "|-";
  markdown += "|\n";
  for (int i = 0; i < 20000; ++i) markdown += "|x\n";
  EXPECT_EQ(render_markdown(markdown, Cols{80}).lines.size(), 39999u);
  const std::string header(200000, 'h');
  markdown = "|" + header + "|b|c|\n|-|-|-|\n";
  for (int i = 0; i < 20000; ++i) markdown += "|x\n";
  EXPECT_GE(render_markdown(markdown, Cols{10}).lines.size(), 39999u);
}

// From the delimiter row on an open table shows as one, and never as its source.
TEST(MarkdownTableTest, DoesNotFlickerWhileItIsWritten) {
  MarkdownView view;
  for (const char c :
       std::string_view("text\n\n| name | n |\n|:---|--:|\n| **x** | 1 |\n| y | `2` |\n")) {
    view.append({&c, 1});
    const std::string shown = to_text(view.lines(Cols{40}));
    for (const char* mark : {"|", "--", ":", "*", "`"})
      ASSERT_EQ(shown.find(mark), std::string::npos) << shown;
  }
  EXPECT_NE(to_text(view.lines(Cols{40})).find("y    │ 2"), std::string::npos);
}

}  // namespace
}  // namespace confab::ui
