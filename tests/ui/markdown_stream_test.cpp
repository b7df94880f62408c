// SPDX-License-Identifier: MIT
#include "ui/markdown_stream.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/ui/markdown_cases.h"
#include "ui/markdown.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

MarkdownLayout streamed(std::string_view text, Cols width, const std::vector<std::size_t>& cuts) {
  MarkdownView view;
  std::size_t begin = 0;
  for (const std::size_t cut : cuts) {
    view.append(text.substr(begin, cut - begin));
    view.layout(width);
    begin = cut;
  }
  view.append(text.substr(begin));
  view.layout(width);
  view.finish();
  return view.layout(width);
}

TEST(MarkdownStreamTest, EverySplitInTwoGivesTheSameAsAllAtOnce) {
  for (const MarkdownCase& golden : markdown_cases()) {
    const Cols width{golden.width};
    const MarkdownLayout whole = render_markdown(golden.text, width);
    for (std::size_t cut = 0; cut <= golden.text.size(); ++cut)
      ASSERT_EQ(streamed(golden.text, width, {cut}), whole) << golden.name << " cut at " << cut;
  }
}

std::vector<std::size_t> random_cuts(std::mt19937& rng, std::size_t size) {
  std::vector<std::size_t> cuts;
  const std::size_t step = 1 + rng() % 24;
  for (std::size_t at = rng() % step; at < size; at += 1 + rng() % step) cuts.push_back(at);
  return cuts;
}

TEST(MarkdownStreamTest, RandomSplitsOfTheCorpusGiveTheSameAsAllAtOnce) {
  constexpr unsigned kSeed = 20261124;
  std::mt19937 rng(kSeed);
  std::string corpus;
  for (const MarkdownCase& golden : markdown_cases()) corpus += golden.text + "\n\n";
  for (int i = 0; i < 12; ++i) {
    const Cols width{20 + static_cast<int>(rng() % 181)};
    ASSERT_EQ(streamed(corpus, width, random_cuts(rng, corpus.size())),
              render_markdown(corpus, width))
        << "seed " << kSeed << " case " << i << " width " << width.value;
  }
}

// Markdown's marks in random order: structures that no one writes, and their cuts.
const std::vector<std::string> kSoup = {"a",
                                        "b c",
                                        " ",
                                        "  ",
                                        "    ",
                                        "\n",
                                        "\n",
                                        "\n\n",
                                        "\n- ",
                                        "\n* ",
                                        "- ",
                                        "\n1. ",
                                        "\n2) ",
                                        "# ",
                                        "\n## ",
                                        "\n```",
                                        "```",
                                        "\n~~~",
                                        "\n```c\n",
                                        "\n> ",
                                        "> ",
                                        "*",
                                        "**",
                                        "_",
                                        "`",
                                        "``",
                                        "[a](b)",
                                        "[x]",
                                        "![",
                                        "]",
                                        "(",
                                        ")",
                                        "\n---",
                                        "\n===",
                                        "\n-",
                                        "<b>",
                                        "\n<div>\n",
                                        "&amp;",
                                        "&#27;",
                                        "\\",
                                        "\\\n",
                                        "  \n",
                                        "\t",
                                        "漢字",
                                        "e\u0301",
                                        "https://x.y/z",
                                        "\n[x]: /u\n",
                                        "\r\n",
                                        "\xff",
                                        "\uFEFF",
                                        "|",
                                        " | ",
                                        "\n| a | b |\n",
                                        "\n|---|:-:|\n",
                                        "\n|-",
                                        "~~",
                                        "~",
                                        "- [ ] ",
                                        "[x] ",
                                        "www.x.y",
                                        "a@b.c",
                                        ")",
                                        "<br>",
                                        "$",
                                        "$$",
                                        "\n$$\n",
                                        "\\(",
                                        "\\)",
                                        "\\[",
                                        "\\]",
                                        "$x^2$",
                                        "\n```math\n",
                                        "x_1",
                                        "5$",
                                        "    $$\n",
                                        "\\frac{a}{b}"};

std::string random_markdown(std::mt19937& rng) {
  std::string text;
  for (std::size_t n = rng() % 40; n > 0; --n) text += kSoup[rng() % kSoup.size()];
  return text;
}

TEST(MarkdownStreamTest, RandomMarkdownGivesTheSameAsAllAtOnce) {
  constexpr unsigned kSeed = 20261125;
  std::mt19937 rng(kSeed);
  for (int i = 0; i < 6000; ++i) {
    const std::string text = random_markdown(rng);
    const Cols width{1 + static_cast<int>(rng() % 60)};
    const MarkdownLayout whole = render_markdown(text, width);
    ASSERT_EQ(streamed(text, width, random_cuts(rng, text.size())), whole)
        << "seed " << kSeed << " case " << i << " width " << width.value << "\n"
        << testing::PrintToString(text);
    for (const Line& line : whole.lines) ASSERT_LE(ui::width(line), width) << text;
  }
}

// Lines that count as settled stay as they are until finish(), and then too unless there is a
// definition.
TEST(MarkdownStreamTest, SettledLinesStay) {
  constexpr unsigned kSeed = 20261126;
  std::mt19937 rng(kSeed);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = random_markdown(rng);
    MarkdownView view;
    std::vector<Line> settled;
    for (const char c : text) {
      view.append({&c, 1});
      const std::vector<Line>& lines = view.lines(Cols{30});
      ASSERT_GE(view.settled(), settled.size()) << testing::PrintToString(text);
      ASSERT_LE(view.settled(), lines.size());
      for (std::size_t j = 0; j < settled.size(); ++j)
        ASSERT_EQ(lines[j], settled[j]) << "seed " << kSeed << " " << testing::PrintToString(text);
      settled.assign(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(view.settled()));
    }
  }
}

// The code of an open fence grows with it, and is exact at every moment.
TEST(MarkdownStreamTest, PartsGrowWithTheText) {
  MarkdownView view;
  const auto parts = [&view](std::string_view more) {
    view.append(more);
    return view.layout(Cols{20}).parts;
  };
  using Parts = std::vector<MarkdownPart>;
  constexpr auto kCode = MarkdownPart::Kind::code_block;
  EXPECT_EQ(parts("a\n\n```\n"), Parts{});
  EXPECT_EQ(parts("x"), (Parts{{kCode, 2, 1, "x\n"}}));
  EXPECT_EQ(parts("y"), (Parts{{kCode, 2, 1, "xy\n"}}));
  EXPECT_EQ(parts("\nz"), (Parts{{kCode, 2, 2, "xy\nz\n"}}));
  EXPECT_EQ(parts("\n```\n"), (Parts{{kCode, 2, 2, "xy\nz\n"}}));
  EXPECT_EQ(parts("[a](/u)"),
            (Parts{{kCode, 2, 2, "xy\nz\n"}, {MarkdownPart::Kind::link, 5, 1, "/u"}}));
}

}  // namespace
}  // namespace confab::ui
