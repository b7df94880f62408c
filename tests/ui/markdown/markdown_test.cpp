// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/ui/markdown/markdown_cases.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

using Kind = MarkdownPart::Kind;

std::string rendered(std::string_view text, int width, MarkdownOptions options = {}) {
  return to_text(render_markdown(text, Cols{width}, options).lines);
}

// The same from an answer that comes byte by byte.
MarkdownLayout grown(std::string_view text, Cols width) {
  MarkdownView view;
  for (const char c : text) {
    view.append(std::string_view(&c, 1));
    view.layout(width);
  }
  view.finish();
  return view.layout(width);
}

// CONFAB_UPDATE_GOLDEN=1 rewrites what is recorded.
TEST(MarkdownGoldenTest, RendersAsRecorded) {
  const std::vector<MarkdownCase> cases = markdown_cases();
  EXPECT_GE(cases.size(), 150u);
  for (const MarkdownCase& golden : cases) {
    const std::string out = golden_text(render_markdown(golden.text, Cols{golden.width}));
    if (std::getenv("CONFAB_UPDATE_GOLDEN") != nullptr)
      std::ofstream(golden.folder / "out", std::ios::binary) << out;
    EXPECT_EQ(out, read_golden(golden.folder / "out")) << golden.name;
  }
}

TEST(RenderMarkdownTest, WrappedListTextAlignsUnderItsFirstWord) {
  EXPECT_EQ(rendered("- alpha beta", 9), "• alpha\n  beta\n");
}

// CommonMark supposes spaces between words, and shows the marks.
TEST(RenderMarkdownTest, EmphasisBesidePunctuationNeedsNoSpacesInEastAsianText) {
  const std::pair<const char*, const char*> cases[] = {
      {"**注意：**正文继续。", "注意：正文继续。"},
      {"这是**“重点”**内容", "这是“重点”内容"},
      {"**Git（版本控制）**是工具", "Git（版本控制）是工具"},
      {"他说**\"好\"**的", "他说\"好\"的"},
      {"*（注）*正文", "（注）正文"},
      {"***警告！***请停止", "警告！请停止"},
      {"**注意。**これは", "注意。これは"},
      {"**「強調」**と**『二重』**です", "「強調」と『二重』です"},
      {"**주의(중요)**합니다", "주의(중요)합니다"},
      {"- **`code`：**说明", "• code：说明"},
      {"| **甲：**一 | b |\n|---|---|\n| c | d |", nullptr},
      {"**[链接](https://x.y)：**后", "链接：后"},
  };
  for (const auto& [markdown, text] : cases) {
    const std::string out = rendered(markdown, 40);
    if (text != nullptr) {
      EXPECT_EQ(out, std::string(text) + '\n');
    }
    EXPECT_EQ(out.find('*'), std::string::npos) << out;
    EXPECT_EQ(to_text(grown(markdown, Cols{40}).lines), out);
  }
}

TEST(RenderMarkdownTest, WhereItIsNoEmphasisItsMarksStay) {
  for (const char* markdown :
       {"2**3", "a * b", "**\"foo\"**bar", "\\*注意：*正文", "`**注意：**正文`", "** 注意：**正文",
        "```\n**注意：**正文\n```", "5*（3+2）= 25", "5*（3+2）*2"}) {
    const std::string out = rendered(markdown, 40);
    EXPECT_NE(out.find('*'), std::string::npos) << markdown;
    EXPECT_EQ(out.find("\xf3\xa0"), std::string::npos) << "a shield: " << out;
  }
}

TEST(RenderMarkdownTest, EmphasisInChineseIsBoldAndStaysSoWhileItIsWritten) {
  MarkdownView view;
  for (const char c : std::string_view("这是**重点：**正文，**“还有”**一个。\n")) {
    view.append({&c, 1});
    ASSERT_EQ(to_text(view.lines(Cols{80})).find('*'), std::string::npos);
  }
}

constexpr std::string_view kReadme =
    "Here:\n\n```markdown\n# Title\n\n```bash\nnpm i\n```\n\nMore.\n```\n\nThen **bold** after.\n";

TEST(RenderMarkdownTest, AFenceInABlockOfMarkdownDoesNotEndIt) {
  for (const std::string& markdown : std::initializer_list<std::string>{
           std::string(kReadme),
           "- a\n\n  ```md\n  ~~~\n  ```c\n  x\n  ```\n  ```\n\nThen **bold** after.\n",
           "> ~~~markdown\n> ~~~c\n> x\n> ~~~\n> ~~~\n\nThen **bold** after.\n",
           "````markdown\n```bash\nx\n```\n````\n\nThen **bold** after.\n"}) {
    const MarkdownLayout layout = render_markdown(markdown, Cols{60});
    const std::string out = to_text(layout.lines);
    EXPECT_NE(out.find("Then bold after."), std::string::npos) << out;
    EXPECT_EQ(std::ranges::count(layout.parts, Kind::code_block, &MarkdownPart::kind), 1) << out;
    EXPECT_EQ(to_text(grown(markdown, Cols{60}).lines), out);
  }
  EXPECT_EQ(render_markdown(kReadme, Cols{60}).parts.at(0).source,
            "# Title\n\n```bash\nnpm i\n```\n\nMore.\n");
}

TEST(RenderMarkdownTest, AFenceInOtherCodeEndsIt) {
  const MarkdownLayout layout =
      render_markdown("```python\na = \"\"\"\n```bash\n```\n\n**b**\n", Cols{60});
  EXPECT_EQ(layout.parts.at(0).source, "a = \"\"\"\n```bash\n");
}

TEST(RenderMarkdownTest, ShowsLinkTargetsWhenAsked) {
  const MarkdownOptions shown{.show_link_targets = true};
  EXPECT_EQ(rendered("[a](https://x.y)", 40, shown), "a (https://x.y)\n");
  EXPECT_EQ(rendered("<https://x.y> <a@b.c>", 40, shown), "https://x.y a@b.c\n");
  EXPECT_EQ(rendered("[a](https://x.y)", 40), "a\n");
}

TEST(RenderMarkdownTest, PartsAreCodeAndLinksInTheOrderOfTheText) {
  const std::string text =
      "[a](/u) b\n\n- c\n  ```c++ x\n  int\ti;\n\n    j;\n  ```\n- [d](https://x.y/z)\n\n> e\n>\n> "
      "    "
      "f\n>\n> [g](/w) [h](/w)\n";
  EXPECT_EQ(render_markdown(text, Cols{40}).parts,
            (std::vector<MarkdownPart>{{Kind::link, 0, 1, "/u"},
                                       {Kind::code_block, 3, 5, "int\ti;\n\n  j;\n", "c++"},
                                       {Kind::link, 8, 1, "https://x.y/z"},
                                       {Kind::code_block, 12, 3, "f\n"},
                                       {Kind::link, 16, 1, "/w"},
                                       {Kind::link, 16, 1, "/w"}}));
}

// It is copied; what is shown of it is sanitised.
TEST(RenderMarkdownTest, PartsAreAsTheyWereWritten) {
  const std::string code = "x = '\u202e\u2066' # \u200f 🏴\U000E0067\U000E0062\U000E007F\n";
  const std::string text =
      "```py\n" + code + "```\n\n| \u202e |\n|-|\n| b |\n\n[a](http://b.c/\u202e)\n";
  for (const MarkdownLayout& layout : {render_markdown(text, Cols{40}), grown(text, Cols{40})}) {
    ASSERT_EQ(layout.parts.size(), 3u);
    EXPECT_EQ(layout.parts[0].source, code);
    EXPECT_EQ(layout.parts[1].source, "| \u202e |\n|-|\n| b |\n");
    EXPECT_EQ(layout.parts[2].source, "http://b.c/\u202e");
    const std::string shown = to_text(layout.lines);
    EXPECT_EQ(shown.find("\u202e"), std::string::npos);
    EXPECT_EQ(shown.find("\u2066"), std::string::npos);
    EXPECT_NE(shown.find("\u200f 🏴\U000E0067\U000E0062\U000E007F"), std::string::npos);
  }
}

TEST(RenderMarkdownTest, APartHasAllLinesThatItWrapsTo) {
  EXPECT_EQ(render_markdown("a [b c d](https://x.y) e", Cols{3}).parts,
            (std::vector<MarkdownPart>{{Kind::link, 0, 2, "https://x.y"}}));
  EXPECT_EQ(render_markdown("```\nabcdefgh\n```", Cols{6}).parts,
            (std::vector<MarkdownPart>{{Kind::code_block, 0, 4, "abcdefgh\n"}}));
  EXPECT_EQ(rendered("```\n```", 6), "╭─────\n╰─────\n");
}

// The text of the spans that are of a part.
std::string text_of_part(const MarkdownLayout& layout, std::size_t part) {
  std::string out;
  for (const Line& line : layout.lines)
    for (const Span& span : line.spans)
      if (span.part == part) out += span.text + '/';
  return out;
}

TEST(RenderMarkdownTest, SpansOfLinksKnowTheirPart) {
  const std::string text =
      "[a *b*](https://x.1) [c](https://x.2)\n\n> - [dd ee ff](https://x.3)\n\n"
      "| [g](https://x.4) | h |\n|-|-|\n| i | [j](https://x.5) |\n";
  for (const MarkdownLayout& layout : {render_markdown(text, Cols{9}), grown(text, Cols{9})}) {
    std::string links;
    for (std::size_t i = 0; i < layout.parts.size(); ++i)
      if (layout.parts[i].kind == Kind::link) links += text_of_part(layout, i + 1) + ' ';
    EXPECT_EQ(links, "a /b/ c/ dd ee/ff/ g/ j/ ");
    EXPECT_EQ(text_of_part(layout, 4), "") << "of the table";
  }
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
