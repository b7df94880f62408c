// SPDX-License-Identifier: MIT
#include "ui/markdown.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string rendered(std::string_view text, int width, MarkdownOptions options = {}) {
  return to_text(render_markdown(text, Cols{width}, options));
}

// Lines with every span that is not plain text as [role attributes -> link|text].
std::string with_styles(const std::vector<Line>& lines) {
  static constexpr const char* kRoles[] = {
      "text",       "user",  "heading",   "emphasis", "strong", "code", "code_block",
      "code_label", "quote", "list_mark", "link",     "rule",   "dim"};
  std::string out;
  for (const Line& line : lines) {
    for (const Span& span : line.spans) {
      if (span.style == Style{} && span.link.empty()) {
        out += span.text;
        continue;
      }
      out += std::string("[") + kRoles[static_cast<int>(span.style.role)];
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

// tests/golden/markdown/<case>: `in` rendered at the columns in `size` (40 without one) gives
// `out`, and with styles `styles`. CONFAB_UPDATE_GOLDEN=1 rewrites them.
const fs::path kGolden = fs::path(CONFAB_SOURCE_DIR) / "tests/golden/markdown";

std::vector<std::string> golden_cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kGolden))
    names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

int golden_width(const fs::path& folder) {
  const std::string size = read(folder / "size");
  return size.empty() ? 40 : std::stoi(size);
}

class MarkdownGoldenTest : public testing::TestWithParam<std::string> {};

TEST_P(MarkdownGoldenTest, RendersAsRecorded) {
  const fs::path folder = kGolden / GetParam();
  const std::vector<Line> lines = render_markdown(read(folder / "in"), Cols{golden_width(folder)});
  if (std::getenv("CONFAB_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(folder / "out", std::ios::binary) << to_text(lines);
    std::ofstream(folder / "styles", std::ios::binary) << with_styles(lines);
  }
  EXPECT_EQ(to_text(lines), read(folder / "out"));
  EXPECT_EQ(with_styles(lines), read(folder / "styles"));
}

INSTANTIATE_TEST_SUITE_P(Cases, MarkdownGoldenTest, testing::ValuesIn(golden_cases()),
                         [](const auto& golden) {
                           std::string name = golden.param;
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
      const std::vector<Line> lines = render_markdown(repeated(piece, 5000) + "end", Cols{width});
      ASSERT_FALSE(lines.empty()) << piece;
      for (const Line& line : lines) ASSERT_LE(ui::width(line).value, width) << piece;
    }
  }
}

std::vector<Line> streamed(std::string_view text, Cols width,
                           const std::vector<std::size_t>& cuts) {
  MarkdownView view;
  std::size_t begin = 0;
  for (const std::size_t cut : cuts) {
    view.append(text.substr(begin, cut - begin));
    view.lines(width);
    begin = cut;
  }
  view.append(text.substr(begin));
  view.lines(width);
  view.finish();
  return view.lines(width);
}

TEST(MarkdownViewTest, EverySplitInTwoGivesTheSameAsAllAtOnce) {
  for (const std::string& name : golden_cases()) {
    const std::string text = read(kGolden / name / "in");
    const Cols width{golden_width(kGolden / name)};
    const std::vector<Line> whole = render_markdown(text, width);
    for (std::size_t cut = 0; cut <= text.size(); ++cut)
      ASSERT_EQ(streamed(text, width, {cut}), whole) << name << " cut at " << cut;
  }
}

std::vector<std::size_t> random_cuts(std::mt19937& rng, std::size_t size) {
  std::vector<std::size_t> cuts;
  const std::size_t step = 1 + rng() % 24;
  for (std::size_t at = rng() % step; at < size; at += 1 + rng() % step) cuts.push_back(at);
  return cuts;
}

TEST(MarkdownViewTest, RandomSplitsOfTheCorpusGiveTheSameAsAllAtOnce) {
  constexpr unsigned kSeed = 20261124;
  std::mt19937 rng(kSeed);
  std::string corpus;
  for (const std::string& name : golden_cases()) corpus += read(kGolden / name / "in") + "\n\n";
  for (int i = 0; i < 12; ++i) {
    const Cols width{20 + static_cast<int>(rng() % 181)};
    ASSERT_EQ(streamed(corpus, width, random_cuts(rng, corpus.size())),
              render_markdown(corpus, width))
        << "seed " << kSeed << " case " << i << " width " << width.value;
  }
}

// Markdown's marks in random order: structures that no one writes, and their cuts.
const std::vector<std::string> kSoup = {"a",           "b c",
                                        " ",           "  ",
                                        "    ",        "\n",
                                        "\n",          "\n\n",
                                        "\n- ",        "\n* ",
                                        "- ",          "\n1. ",
                                        "\n2) ",       "# ",
                                        "\n## ",       "\n```",
                                        "```",         "\n~~~",
                                        "\n```c\n",    "\n> ",
                                        "> ",          "*",
                                        "**",          "_",
                                        "`",           "``",
                                        "[a](b)",      "[x]",
                                        "![",          "]",
                                        "(",           ")",
                                        "\n---",       "\n===",
                                        "\n-",         "<b>",
                                        "\n<div>\n",   "&amp;",
                                        "&#27;",       "\\",
                                        "\\\n",        "  \n",
                                        "\t",          "漢字",
                                        "e\u0301",     "https://x.y/z",
                                        "\n[x]: /u\n", "\r\n",
                                        "\xff",        "\uFEFF"};

std::string random_markdown(std::mt19937& rng) {
  std::string text;
  for (std::size_t n = rng() % 40; n > 0; --n) text += kSoup[rng() % kSoup.size()];
  return text;
}

TEST(MarkdownViewTest, RandomMarkdownGivesTheSameAsAllAtOnce) {
  constexpr unsigned kSeed = 20261125;
  std::mt19937 rng(kSeed);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = random_markdown(rng);
    const Cols width{1 + static_cast<int>(rng() % 60)};
    ASSERT_EQ(to_text(streamed(text, width, random_cuts(rng, text.size()))),
              to_text(render_markdown(text, width)))
        << "seed " << kSeed << " case " << i << " width " << width.value << "\n"
        << testing::PrintToString(text);
    for (const Line& line : render_markdown(text, width)) ASSERT_LE(ui::width(line), width) << text;
  }
}

// Lines that count as settled stay as they are until finish(), and then too unless there is a
// definition.
TEST(MarkdownViewTest, SettledLinesStay) {
  constexpr unsigned kSeed = 20261126;
  std::mt19937 rng(kSeed);
  for (int i = 0; i < 1500; ++i) {
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

}  // namespace
}  // namespace confab::ui
