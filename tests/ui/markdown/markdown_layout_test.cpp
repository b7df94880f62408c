// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_layout.h"

#include <cmark.h>
#include <gtest/gtest.h>

#include "ui/markdown/markdown_tree.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

MarkdownLayout layout(std::string_view markdown, int width) {
  const MarkdownTree tree = parse_markdown(markdown);
  MarkdownLayout out;
  append_block(out, cmark_node_first_child(tree.get()), Cols{width}, {});
  return out;
}

std::string text(std::string_view markdown, int width) {
  return to_text(layout(markdown, width).lines);
}

TEST(AppendBlockTest, MarksOfNestedContainersShareALine) {
  EXPECT_EQ(text("> - 1. a\n>      b", 20), "│ • 1. a b\n");
  EXPECT_EQ(text("- - - a", 20), "• ◦ ‣ a\n");
}

TEST(AppendBlockTest, EmptyContainersShowTheirMark) {
  EXPECT_EQ(text(">", 20), "│\n");
  EXPECT_EQ(text("-\n-", 20), "•\n•\n");
}

TEST(AppendBlockTest, LooseListsAreSpacedAndTightOnesAreNot) {
  EXPECT_EQ(text("- a\n- b", 20), "• a\n• b\n");
  EXPECT_EQ(text("- a\n\n- b", 20), "• a\n\n• b\n");
  EXPECT_EQ(text("> - a\n>\n> - b", 20), "│ • a\n│\n│ • b\n");
}

TEST(AppendBlockTest, NumbersCountFromTheFirst) {
  EXPECT_EQ(text("7) a\n7) b\n1) c", 20), "7) a\n8) b\n9) c\n");
}

TEST(AppendBlockTest, ARuleFillsTheRoomThereIs) {
  EXPECT_EQ(text("***", 4), "────\n");
  EXPECT_EQ(text("> ***", 6), "│ ────\n");
}

TEST(AppendBlockTest, HeadingsDifferByAttributes) {
  const auto style = [](std::string_view markdown) {
    return layout(markdown, 20).lines[0].spans[0].style;
  };
  EXPECT_EQ(style("# a"), (Style{.role = Role::heading, .bold = true, .underline = true}));
  EXPECT_EQ(style("## a"), (Style{.role = Role::heading, .bold = true}));
  EXPECT_EQ(style("###### a"), (Style{.role = Role::heading}));
}

TEST(AppendBlockTest, MarksWithoutRoomStandOnLinesOfTheirOwn) {
  EXPECT_EQ(text("- a", 1), "•\na\n");
  EXPECT_EQ(text("> a", 2), "a\n");
  EXPECT_EQ(text("- - - - abc", 8), "• ◦ ‣\n    •\n    abc\n");
}

}  // namespace
}  // namespace confab::ui
