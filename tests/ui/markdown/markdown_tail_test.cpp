// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_tail.h"

#include <gtest/gtest.h>

#include "ui/markdown/markdown.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

TEST(WithoutUndecidedLinesTest, HoldsBackBeginningsOfMarks) {
  for (const char* mark : {"-",   "- ",  "*",  "**", "#",  "## ", "`",  "``",  "```", "~~", "1",
                           "12.", "3) ", "==", "--", "> ", "|",   "|-", "> -", "- `", "+",  "_"})
    EXPECT_EQ(without_undecided_lines(std::string("text\n") + mark), "text\n") << mark;
  EXPECT_EQ(without_undecided_lines("-"), "");
}

TEST(WithoutUndecidedLinesTest, LetsAllElseThrough) {
  for (const char* text : {"", "text", "text\n", "a\n- b", "a\n# b", "1. x", "2024-", "a -",
                           "\n> a", "1234567890", "- 1. x"})
    EXPECT_EQ(without_undecided_lines(text), text);
}

TEST(WithoutUndecidedLinesTest, HoldsBackWhatMayBeATable) {
  for (const char* rows :
       {"| a", "| a |\n", "| a |\n|", "| a |\n|--", "| a |\n| :-: |", "| a |\n\n|"})
    EXPECT_EQ(
        without_undecided_lines(std::string("text\n\n") + rows),
        std::string_view(rows).find("\n\n") == std::string::npos ? "text\n\n" : "text\n\n| a |\n\n")
        << rows;
  EXPECT_EQ(without_undecided_lines("> | a |\n> |-"), "");
  EXPECT_EQ(without_undecided_lines("- | a |\n"), "");
  for (const char* text : {"| a |\n|---|\n", "| a |\n|---|\n| b |", "| a |\nb", "a | b"})
    EXPECT_EQ(without_undecided_lines(text), text);
}

TEST(WithoutUndecidedLinesTest, HoldsBackCellsAndFences) {
  const std::string table = "| a | b |\n|---|---|\n";
  EXPECT_EQ(without_undecided_lines(table + "| x"), table);
  EXPECT_EQ(without_undecided_lines(table + "| x | y"), table + "| x |");
  EXPECT_EQ(without_undecided_lines(table + "| x | y \\| z"), table + "| x |");
  EXPECT_EQ(without_undecided_lines("a\n```c"), "a\n");
  EXPECT_EQ(without_undecided_lines("> ~~~ py"), "");
  EXPECT_EQ(without_undecided_lines("```c\n"), "```c\n");
}

TEST(WithoutUndecidedLinesTest, HoldsBackBoxesOfTasks) {
  for (const char* box : {"- [", "1. [ ", "- [x", "* [ ]", "- [X]"})
    EXPECT_EQ(without_undecided_lines(std::string("- a\n") + box), "- a\n") << box;
  for (const char* text : {"- [x] a", "- [x](", "[x]", "- [y"})
    EXPECT_EQ(without_undecided_lines(text), text);
}

TEST(CloseInlinesTest, HoldsBackWhatIsNotYetANoteOrATag) {
  for (const char* mark : {"[^", "[^1", "[^no", "<kb", "</", "[!NO"})
    EXPECT_EQ(close_inlines(std::string("a ") + mark), "a") << mark;
  EXPECT_EQ(close_inlines("> [!NOTE]"), "> [!NOTE]");
}

TEST(CloseInlinesTest, ClosesElements) {
  EXPECT_EQ(close_inlines("a <kbd>b"), "a <kbd>b</kbd>");
  EXPECT_EQ(close_inlines("**<sup>b"), "**<sup>b</sup>**");
  EXPECT_EQ(close_inlines("<sub>a</sub> b"), "<sub>a</sub> b");
  EXPECT_EQ(close_inlines("`<kbd>` b"), "`<kbd>` b");
}

TEST(CloseInlinesTest, ClosesEmphasisAndCode) {
  EXPECT_EQ(close_inlines("a *b"), "a *b*");
  EXPECT_EQ(close_inlines("a **b c"), "a **b c**");
  EXPECT_EQ(close_inlines("***b"), "***b***");
  EXPECT_EQ(close_inlines("**a *b"), "**a *b***");
  EXPECT_EQ(close_inlines("_a __b"), "_a __b___");
  EXPECT_EQ(close_inlines("a `b *c"), "a `b *c`");
  EXPECT_EQ(close_inlines("``a ` b"), "``a ` b``");
  EXPECT_EQ(close_inlines("**see `a"), "**see `a`**");
  EXPECT_EQ(close_inlines("(**a"), "(**a**");
  EXPECT_EQ(close_inlines("~~a *b"), "~~a *b*~~");
}

TEST(CloseInlinesTest, LeavesWhatIsClosed) {
  for (const char* text : {"", "a", "*a* b", "**a** b", "`a` b", "a * b", "2*3", "snake_case",
                           "\\*a", "`*` b", "[a](b) c", "***a** b* c"})
    EXPECT_EQ(close_inlines(text), text);
}

TEST(CloseInlinesTest, HoldsBackDelimitersAtTheEnd) {
  EXPECT_EQ(close_inlines("a **"), "a");
  EXPECT_EQ(close_inlines("**a*"), "**a**");
  EXPECT_EQ(close_inlines("**a**"), "**a**");
  EXPECT_EQ(close_inlines("`a`"), "`a`");
  EXPECT_EQ(close_inlines("a ["), "a");
  EXPECT_EQ(close_inlines("Wow!"), "Wow!");
  EXPECT_EQ(close_inlines("a !["), "a");
  EXPECT_EQ(close_inlines("a \\"), "a");
}

TEST(CloseInlinesTest, ClosesLinks) {
  EXPECT_EQ(close_inlines("see [the *doc"), "see [the *doc*]()");
  EXPECT_EQ(close_inlines("**[a"), "**[a]()**");
  EXPECT_EQ(close_inlines("[a]"), "[a]()");
  EXPECT_EQ(close_inlines("![alt"), "![alt]()");
  EXPECT_EQ(close_inlines("[![a"), "[![a]()]()");
  for (const char* text :
       {"[a] b", "a[0", "a[0]", "[ ] a", "[a](b) c", "\\[a", "`[a` b", "[a] [b] c"})
    EXPECT_EQ(close_inlines(text), text);
}

TEST(CloseInlinesTest, LeavesOutPartsOfLinkTargets) {
  EXPECT_EQ(close_inlines("[a](https://x.y"), "[a]()");
  EXPECT_EQ(close_inlines("**[a](https://x"), "**[a]()**");
  EXPECT_EQ(close_inlines("[a](https://x.y) b"), "[a](https://x.y) b");
}

TEST(CloseInlinesTest, LooksAtTheLastParagraphAlone) {
  EXPECT_EQ(close_inlines("**a\n\nb *c"), "**a\n\nb *c*");
}

// Character by character, marks of finished structures are never seen as text.
TEST(TailTest, NothingFlickers) {
  constexpr std::string_view kText =
      "# Title\n\nSome **bold** and *soft* `code` with [a link](https://example.org/a).\n\n- "
      "**one**\n"
      "- two `x`\n\n```c\nint x;\n```\n\nHeading\n-------\n";
  MarkdownView view;
  for (const char c : kText) {
    view.append({&c, 1});
    const std::string shown = to_text(view.lines(Cols{80}));
    for (const char* mark : {"*", "#", "`", "](", "https", "---", "- "})
      ASSERT_EQ(shown.find(mark), std::string::npos) << shown;
  }
}

}  // namespace
}  // namespace confab::ui
