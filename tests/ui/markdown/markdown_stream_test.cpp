// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>

#include "tests/ui/markdown/markdown_cases.h"
#include "ui/markdown/markdown.h"
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

// A few cases, one after the other.
std::string random_answer(std::mt19937& rng, const std::vector<MarkdownCase>& cases) {
  std::string text;
  for (std::size_t n = 1 + rng() % 6; n > 0; --n) text += cases[rng() % cases.size()].text + '\n';
  return text;
}

TEST(MarkdownStreamTest, RandomSplitsOfTheCorpusGiveTheSameAsAllAtOnce) {
  constexpr unsigned kSeed = 20261124;
  std::mt19937 rng(kSeed);
  const std::vector<MarkdownCase> cases = markdown_cases();
  for (int i = 0; i < 2000; ++i) {
    const std::string text = random_answer(rng, cases);
    const bool narrow = i % 8 == 0;
    const Cols width{narrow ? 1 + static_cast<int>(rng() % 19)
                            : 20 + static_cast<int>(rng() % 181)};
    const MarkdownLayout whole = render_markdown(text, width);
    ASSERT_EQ(streamed(text, width, random_cuts(rng, text.size())), whole)
        << "seed " << kSeed << " case " << i << " width " << width.value << "\n"
        << testing::PrintToString(text);
    for (const Line& line : whole.lines) ASSERT_LE(ui::width(line), width) << text;
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
                                        "\\frac{a}{b}",
                                        "[^1]",
                                        "\n\n[^1]: ",
                                        "\n\n    "};

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

// As when a window is resized while an answer comes.
TEST(MarkdownStreamTest, ANewWidthLaysOutAnew) {
  constexpr unsigned kSeed = 20261128;
  std::mt19937 rng(kSeed);
  const std::vector<MarkdownCase> cases = markdown_cases();
  for (int i = 0; i < 300; ++i) {
    const std::string text = random_answer(rng, cases);
    MarkdownView view;
    std::size_t begin = 0;
    Cols width{1};
    for (const std::size_t cut : random_cuts(rng, text.size())) {
      view.append(std::string_view(text).substr(begin, cut - begin));
      begin = cut;
      width = Cols{1 + static_cast<int>(rng() % 120)};
      view.layout(width);
    }
    view.append(std::string_view(text).substr(begin));
    view.finish();
    ASSERT_EQ(view.layout(width), render_markdown(text, width))
        << "seed " << kSeed << " case " << i;
  }
}

// What is settled, lines and the parts in them, stays as it is while text is appended.
void expect_settled_stays(std::string_view text, const std::vector<std::size_t>& cuts) {
  MarkdownView view;
  MarkdownLayout settled;
  std::size_t begin = 0;
  for (const std::size_t cut : cuts) {
    view.append(text.substr(begin, cut - begin));
    begin = cut;
    const MarkdownLayout& now = view.layout(Cols{30});
    ASSERT_GE(view.settled(), settled.lines.size()) << testing::PrintToString(text);
    ASSERT_LE(view.settled(), now.lines.size());
    ASSERT_GE(now.parts.size(), settled.parts.size());
    for (std::size_t i = 0; i < settled.lines.size(); ++i)
      ASSERT_EQ(now.lines[i], settled.lines[i]) << testing::PrintToString(text);
    for (std::size_t i = 0; i < settled.parts.size(); ++i)
      ASSERT_EQ(now.parts[i], settled.parts[i]) << testing::PrintToString(text);
    for (std::size_t i = settled.lines.size(); i < view.settled(); ++i)
      settled.lines.push_back(now.lines[i]);
    for (std::size_t i = settled.parts.size(); i < now.parts.size(); ++i) {
      if (now.parts[i].first_line + now.parts[i].n_lines >= view.settled()) break;
      settled.parts.push_back(now.parts[i]);
    }
  }
}

std::vector<std::size_t> every_cut(std::size_t size) {
  std::vector<std::size_t> cuts(size);
  std::iota(cuts.begin(), cuts.end(), 1);
  return cuts;
}

TEST(MarkdownStreamTest, SettledLinesStay) {
  constexpr unsigned kSeed = 20261126;
  std::mt19937 rng(kSeed);
  for (int i = 0; i < 1500; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " case " << i);
    const std::string text = random_markdown(rng);
    expect_settled_stays(text, every_cut(text.size()));
    if (HasFatalFailure()) return;
  }
}

TEST(MarkdownStreamTest, SettledLinesOfTheCorpusStay) {
  constexpr unsigned kSeed = 20261127;
  std::mt19937 rng(kSeed);
  const std::vector<MarkdownCase> cases = markdown_cases();
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " case " << i);
    const std::string text = random_answer(rng, cases);
    expect_settled_stays(text, random_cuts(rng, text.size()));
    if (HasFatalFailure()) return;
  }
}

// What is kept has the same text at every width: it ends where it was settled.
TEST(MarkdownStreamTest, KeptLinesHaveTheirTextAtEveryWidth) {
  constexpr unsigned kSeed = 20261128;
  std::mt19937 rng(kSeed);
  const std::vector<MarkdownCase> cases = markdown_cases();
  for (int i = 0; i < 600; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " case " << i);
    const std::string text = random_answer(rng, cases);
    // A definition reaches what is laid out anew.
    if (text.find("]:") != std::string::npos) continue;
    MarkdownView still, moved;
    std::size_t begin = 0;
    for (const std::size_t cut : random_cuts(rng, text.size())) {
      for (MarkdownView* view : {&still, &moved}) {
        view->append(std::string_view(text).substr(begin, cut - begin));
        view->layout(Cols{30});
        view->keep_settled();
      }
      begin = cut;
      moved.layout(Cols{1 + static_cast<int>(rng() % 90)});
      const MarkdownLayout& now = moved.layout(Cols{30});
      ASSERT_EQ(moved.n_kept_bytes(), still.n_kept_bytes()) << text;
      ASSERT_EQ(moved.n_kept_lines(), still.n_kept_lines()) << text;
      ASSERT_EQ(now.lines, still.lines(Cols{30})) << text;
    }
  }
}

TEST(MarkdownStreamTest, ADefinitionDoesNotReachWhatIsKept) {
  MarkdownView view;
  view.append("[a][b]\n\n[c][b]\n\nd");
  view.layout(Cols{20});
  view.keep_settled();
  EXPECT_EQ(view.n_kept_lines(), 1u);
  EXPECT_EQ(view.n_kept_bytes(), 8u);
  view.append(" [e][b]\n\n[b]: /f\n");
  view.finish();
  EXPECT_EQ(to_text(view.lines(Cols{20})), "[a][b]\n\nc (/f)\n\nd e (/f)\n");
  EXPECT_EQ(to_text(view.lines(Cols{3})), "[a]\n[b]\n\nc\n(/f\n)\n\nd e\n(/f\n)\n");
  EXPECT_EQ(view.n_kept_lines(), 2u);
}

TEST(MarkdownStreamTest, WhatGoesOnWithAFootnoteIsNeverShownAsCode) {
  MarkdownView view;
  const auto shown = [&view](std::string_view more) {
    view.append(more);
    return to_text(view.layout(Cols{20}).lines);
  };
  EXPECT_EQ(shown("[^1]: a\n\n   "), "¹ a\n");
  EXPECT_EQ(shown(" b **c"), "¹ a\n\n  b c\n");
  EXPECT_EQ(view.layout(Cols{20}).lines[2].spans.back().style.role, Role::strong);
  EXPECT_EQ(shown("**\n\n    -"), "¹ a\n\n  b c\n");
  EXPECT_EQ(shown(" d\n"), "¹ a\n\n  b c\n\n  • d\n");
  EXPECT_EQ(view.settled(), 0u);
  EXPECT_EQ(shown("\ne"), "¹ a\n\n  b c\n\n  • d\n\ne\n");
  EXPECT_EQ(shown("\n"), "¹ a\n\n  b c\n\n  • d\n\ne\n");
  EXPECT_EQ(view.settled(), 5u);
}

// Also where what was settled is kept, and not laid out anew at the end.
TEST(MarkdownStreamTest, EverySplitOfAKeptFootnoteGivesTheSameAsAllAtOnce) {
  const std::string text = "a[^1]\n\n[^1]: b\n\n    c\n\n    d\n\ne\n\n    f\n";
  const MarkdownLayout whole = render_markdown(text, Cols{30});
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    MarkdownView view;
    for (const std::string& part : {text.substr(0, cut), text.substr(cut)}) {
      view.append(part);
      view.layout(Cols{30});
      view.keep_settled();
    }
    view.finish();
    ASSERT_EQ(view.layout(Cols{30}), whole) << "cut at " << cut;
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
  EXPECT_EQ(parts("a\n\n```\n"), (Parts{{kCode, 2, 1, ""}}));
  EXPECT_EQ(parts("x"), (Parts{{kCode, 2, 2, "x\n"}}));
  EXPECT_EQ(parts("y"), (Parts{{kCode, 2, 2, "xy\n"}}));
  EXPECT_EQ(parts("\nz"), (Parts{{kCode, 2, 3, "xy\nz\n"}}));
  EXPECT_EQ(parts("\n```\n"), (Parts{{kCode, 2, 4, "xy\nz\n"}}));
  EXPECT_EQ(parts("[a](/u)"),
            (Parts{{kCode, 2, 4, "xy\nz\n"}, {MarkdownPart::Kind::link, 7, 1, "/u"}}));
}

}  // namespace
}  // namespace confab::ui
