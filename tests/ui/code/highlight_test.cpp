// SPDX-License-Identifier: MIT
#include "ui/code/highlight.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>

#include "tests/ui/code/highlight_marks.h"
#include "ui/code/language.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// tests/golden/highlight/<language>: `in` in colours gives `out`. CONFAB_UPDATE_GOLDEN=1 rewrites
// it.
const fs::path kGolden = fs::path(CONFAB_SOURCE_DIR) / "tests/golden/highlight";

std::vector<std::string> golden_cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kGolden))
    names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

std::string highlighted(std::string_view info, const std::string& code) {
  Highlighter highlighter(info);
  std::string out;
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) out += marked(highlighter.line(line)) + '\n';
  return out;
}

// The same, without the last line break.
std::string scanned(std::string_view info, const std::string& code) {
  std::string out = highlighted(info, code);
  if (!out.empty()) out.pop_back();
  return out;
}

class HighlightGoldenTest : public testing::TestWithParam<std::string> {};

TEST_P(HighlightGoldenTest, IsAsRecorded) {
  const fs::path folder = kGolden / GetParam();
  const std::string out = highlighted(GetParam(), text_of(folder / "in"));
  if (std::getenv("CONFAB_UPDATE_GOLDEN") != nullptr)
    std::ofstream(folder / "out", std::ios::binary) << out;
  EXPECT_EQ(out, text_of(folder / "out"));
}

INSTANTIATE_TEST_SUITE_P(Cases, HighlightGoldenTest, testing::ValuesIn(golden_cases()),
                         [](const auto& golden) {
                           std::string name = golden.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(HighlighterTest, LeavesUnknownLanguagesAlone) {
  for (const char* info : {"", "text", "nonsense"}) {
    const std::vector<Span> spans = Highlighter(info).line("if (x) \"y\"");
    ASSERT_EQ(spans.size(), 1U) << info;
    EXPECT_EQ(spans[0], (Span{"if (x) \"y\"", {.role = Role::code_block}})) << info;
  }
  EXPECT_TRUE(Highlighter("").line("").empty());
}

TEST(HighlighterTest, CopiesGoOnByThemselves) {
  Highlighter highlighter("c");
  highlighter.line("/* a");
  Highlighter copy = highlighter;
  copy.line("b */");
  EXPECT_EQ(marked(copy.line("int")), "[type|int]");
  EXPECT_EQ(marked(highlighter.line("int")), "[comment|int]");
  highlighter = copy;
  EXPECT_EQ(marked(highlighter.line("int")), "[type|int]");
}

// Lines of what makes scanners go wrong: marks of every language, cut and joined at random.
class RandomCode {
 public:
  explicit RandomCode(unsigned seed) : rng_(seed) {
    for (const Language& language : data::languages())
      for (const Enclosed& rule : language.enclosed)
        for (const std::string_view mark : {rule.open, rule.close, rule.interpolation})
          if (!mark.empty()) pieces_.emplace_back(mark);
    for (const char* piece :
         {"a",    "if",       " ",        "\t",  "0",   ".",     ":",     "=",   "-", "<",
          ">",    "</script", "<script>", "$",   "{",   "}",     "(",     ")",   "#", "@",
          "'",    "/",        "\\",       "`",   "[",   "]",     "<<EOF", "EOF", "é", "漢",
          "\xff", "--- a/",   "@@",       "```", "~~~", "&amp;", "|",     "- ",  "!"})
      pieces_.emplace_back(piece);
  }

  std::string line() {
    std::string line;
    for (std::size_t n = rng_() % 20; n > 0; --n) line += pieces_[rng_() % pieces_.size()];
    return line;
  }

 private:
  std::mt19937 rng_;
  std::vector<std::string> pieces_;
};

TEST(HighlighterTest, SpansJoinedAreTheLineWhateverItHolds) {
  const unsigned seed = 20251122;
  SCOPED_TRACE(seed);
  RandomCode code(seed);
  for (const Language& language : data::languages()) {
    Highlighter highlighter(language.names);
    for (int i = 0; i < 300; ++i) {
      const std::string line = code.line();
      const std::vector<Span> spans = highlighter.line(line);
      ASSERT_EQ(to_text(Line{spans}), line) << language.names;
      for (const Span& span : spans) ASSERT_FALSE(span.text.empty()) << language.names << line;
    }
  }
}

// What makes a scanner look ahead to the line's end again and again; quadratic time would run into
// the test's time limit.
TEST(HighlighterTest, LongLinesTakeLinearTime) {
  for (const Language& language : data::languages())
    for (const char* piece :
         {"(",  "a ", "a:", "<a ", "</", "/ /[", "\"\\", "'",  "`",  "${",  "[",  "](", "- ",  "/*",
          "{-", "r#", "<<", "a=",  "&",  "a::",  "=\"",  "$a", "..", "```", "[=", "$(", "\"$("}) {
      std::string line;
      for (int i = 0; i < 10000; ++i) line += piece;
      Highlighter highlighter(language.names);
      ASSERT_EQ(to_text(Line{highlighter.line(line)}).size(), line.size());
      highlighter.line(line);
    }
}

TEST(ScanDiffTest, TellsHeadersFromChanges) {
  EXPECT_EQ(scanned("diff", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n a\n-b\n+c"),
            "[meta|diff --git a/x b/x]\n[meta|--- a/x]\n[meta|+++ b/x]\n[meta|@@ -1,2 +1 @@]\n a\n"
            "[diff_removed|-b]\n[diff_added|+c]");
}

TEST(ScanDiffTest, RemovedLinesMayLookLikeHeaders) {
  EXPECT_EQ(scanned("diff", "@@ -1 +1 @@\n--- x\n+++ y\n--- a/z"),
            "[meta|@@ -1 +1 @@]\n[diff_removed|--- x]\n[diff_added|+++ y]\n[meta|--- a/z]");
}

TEST(ScanMarkdownTest, TellsBlocksAndCode) {
  EXPECT_EQ(scanned("markdown", "# T\n- a `b` [c](d)\n10. x\n> q\n```py\nx\n```\n#tag"),
            "[keyword|# T]\n[function|-] a [string|`b`] [c]([type|d])\n[function|10.] x\n"
            "[comment|> q]\n[meta|```py]\n[string|x]\n[meta|```]\n#tag");
}

TEST(ScanMarkdownTest, WhatIsNotClosedIsProse) {
  EXPECT_EQ(scanned("markdown", "a ``b [c](d \\` e`"), "a ``b [c](d \\` e`");
}

TEST(ScanConsoleTest, HighlightsCommandsOnly) {
  EXPECT_EQ(scanned("console", "$ ls -l | wc\nif x\nme@host:~/a$ cd \"b"),
            "[meta|$ ][function|ls] -l | [function|wc]\nif x\n"
            "[meta|me@host:~/a$ ][function|cd] [string|\"b]");
}

TEST(ScanConsoleTest, CommandsGoOnBelow) {
  EXPECT_EQ(scanned("console", "$ make \\\n  all\nall done"),
            "[meta|$ ][function|make] \\\n  all\nall done");
}

TEST(ScanMarkupTest, TellsTagsAttributesAndEntities) {
  EXPECT_EQ(scanned("html", "<a href=\"x\" b='y'>t &amp; u</a>"),
            "[keyword|<a] [type|href]=[string|\"x\"] [type|b]=[string|'y'][keyword|>]t "
            "[number|&amp;] u[keyword|</a>]");
  EXPECT_EQ(scanned("html", "a < b & c <3 &;"), "a < b & c <3 &;");
}

TEST(ScanMarkupTest, SectionsGoOnFromLineToLine) {
  EXPECT_EQ(scanned("html", "<!-- a\n<b> --><c/>"),
            "[comment|<!-- a]\n[comment|<b> -->][keyword|<c]/[keyword|>]");
  EXPECT_EQ(scanned("html", "<?xml v=\"1\"?><![CDATA[<x>]]>"),
            "[meta|<?xml v=\"1\"?>][string|<![CDATA[<x>]]>]");
  EXPECT_EQ(scanned("html", "<a b=\"c\nd\">"),
            "[keyword|<a] [type|b]=[string|\"c]\n[string|d\"][keyword|>]");
}

TEST(ScanMarkupTest, ScriptsAndStylesAreCode) {
  EXPECT_EQ(scanned("html", "<script>if (a) /* x\n*/ b</SCRIPT>if"),
            "[keyword|<script>if] (a) [comment|/* x]\n[comment|*/] b[keyword|</SCRIPT>]if");
  EXPECT_EQ(scanned("html", "<style>\na { color: red }\n</style>"),
            "[keyword|<style>]\na { [type|color]: red }\n[keyword|</style>]");
  EXPECT_EQ(scanned("html", "<script/>if"), "[keyword|<script]/[keyword|>]if");
}

}  // namespace
}  // namespace confab::ui
