// SPDX-License-Identifier: MIT
#include "ui/markdown.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/ui/markdown_cases.h"
#include "ui/theme.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

std::string rendered(std::string_view text, int width, MarkdownOptions options = {}) {
  return to_text(render_markdown(text, Cols{width}, options).lines);
}

// Lines with every span that is not plain text as [role attributes -> link|text].
std::string with_styles(const std::vector<Line>& lines) {
  std::string out;
  for (const Line& line : lines) {
    for (const Span& span : line.spans) {
      if (span.style == Style{} && span.link.empty()) {
        out += span.text;
        continue;
      }
      out += '[';
      out += role_name(span.style.role);
      if (span.style.bold) out += " bold";
      if (span.style.italic) out += " italic";
      if (span.style.underline) out += " underline";
      if (!span.link.empty()) out += " -> " + span.link;
      out += '|' + span.text + ']';
    }
    out += '\n';
  }
  return out;
}

// `in` gives `out`, and with styles `styles`. CONFAB_UPDATE_GOLDEN=1 rewrites them.
class MarkdownGoldenTest : public testing::TestWithParam<MarkdownCase> {};

TEST_P(MarkdownGoldenTest, RendersAsRecorded) {
  const MarkdownCase& golden = GetParam();
  const std::vector<Line> lines = render_markdown(golden.text, Cols{golden.width}).lines;
  if (std::getenv("CONFAB_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(golden.folder / "out", std::ios::binary) << to_text(lines);
    std::ofstream(golden.folder / "styles", std::ios::binary) << with_styles(lines);
  }
  EXPECT_EQ(to_text(lines), read_golden(golden.folder / "out"));
  EXPECT_EQ(with_styles(lines), read_golden(golden.folder / "styles"));
}

INSTANTIATE_TEST_SUITE_P(Cases, MarkdownGoldenTest, testing::ValuesIn(markdown_cases()),
                         [](const auto& golden) {
                           std::string name = golden.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(RenderMarkdownTest, WrappedListTextAlignsUnderItsFirstWord) {
  EXPECT_EQ(rendered("- alpha beta", 9), "• alpha\n  beta\n");
}

TEST(RenderMarkdownTest, ShowsLinkTargetsWhenAsked) {
  const MarkdownOptions shown{.show_link_targets = true};
  EXPECT_EQ(rendered("[a](https://x.y)", 40, shown), "a (https://x.y)\n");
  EXPECT_EQ(rendered("<https://x.y> <a@b.c>", 40, shown), "https://x.y a@b.c\n");
  EXPECT_EQ(rendered("[a](https://x.y)", 40), "a\n");
}

using Kind = MarkdownPart::Kind;

TEST(RenderMarkdownTest, PartsAreCodeAndLinksInTheOrderOfTheText) {
  const std::string text =
      "[a](/u) b\n\n- c\n  ```c++ x\n  int\ti;\n\n    j;\n  ```\n- [d](https://x.y/z)\n\n> e\n>\n> "
      "    "
      "f\n>\n> [g](/w) [h](/w)\n";
  EXPECT_EQ(render_markdown(text, Cols{40}).parts,
            (std::vector<MarkdownPart>{{Kind::link, 0, 1, "/u"},
                                       {Kind::code_block, 3, 4, "int\ti;\n\n  j;\n", "c++"},
                                       {Kind::link, 7, 1, "https://x.y/z"},
                                       {Kind::code_block, 11, 1, "f\n"},
                                       {Kind::link, 13, 1, "/w"},
                                       {Kind::link, 13, 1, "/w"}}));
}

TEST(RenderMarkdownTest, APartHasAllLinesThatItWrapsTo) {
  EXPECT_EQ(render_markdown("a [b c d](https://x.y) e", Cols{3}).parts,
            (std::vector<MarkdownPart>{{Kind::link, 0, 2, "https://x.y"}}));
  EXPECT_EQ(render_markdown("```\nabcdefgh\n```", Cols{6}).parts,
            (std::vector<MarkdownPart>{{Kind::code_block, 0, 2, "abcdefgh\n"}}));
  EXPECT_TRUE(render_markdown("```\n```", Cols{6}).parts.empty());
}

TEST(RenderMarkdownTest, NoWidthAndNoTextAreHarmless) {
  EXPECT_EQ(rendered("ab", 0), "a\nb\n");
  EXPECT_EQ(rendered("ab", -5), "a\nb\n");
  EXPECT_EQ(rendered("", 10), "");
  EXPECT_EQ(rendered("\n \n", 10), "");
}

std::string repeated(std::string_view piece, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += piece;
  return out;
}

// Depth must not cost stack, and time only in proportion: a recursive or quadratic walk fails here
// by a stack overflow or by the test's time limit.
TEST(RenderMarkdownTest, DepthIsHarmless) {
  for (const char* piece :
       {">", "> ", "- ", "1. ", "[", "![", "*a ", "**a _b ", "`", "](", "<b>", "&amp;"}) {
    for (const int width : {1, 7, 80}) {
      const std::vector<Line> lines =
          render_markdown(repeated(piece, 5000) + "end", Cols{width}).lines;
      ASSERT_FALSE(lines.empty()) << piece;
      for (const Line& line : lines) ASSERT_LE(ui::width(line).value, width) << piece;
    }
  }
}

}  // namespace
}  // namespace confab::ui
