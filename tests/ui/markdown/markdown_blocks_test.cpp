// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace confab::ui {
namespace {

using ::testing::ElementsAre;
using Kind = MarkdownBlock::Kind;

std::vector<Kind> kinds(std::string_view text) {
  std::vector<Kind> all;
  for (const MarkdownBlock& block : markdown_blocks(text)) all.push_back(block.kind);
  return all;
}

std::size_t n_items(std::string_view text) {
  std::size_t n = 0;
  for (const MarkdownBlock& block : markdown_blocks(text)) n += block.n_items;
  return n;
}

TEST(MarkdownBlocksTest, BlocksComeInTheirOrder) {
  EXPECT_THAT(kinds("Here:\n\n- a\n- b\n\nDone."), ElementsAre(Kind::text, Kind::list, Kind::text));
  EXPECT_THAT(kinds("# a\n\n> b\n\n```\n- c\n```\n"),
              ElementsAre(Kind::other, Kind::other, Kind::other));
  EXPECT_THAT(kinds(""), ElementsAre());
  EXPECT_THAT(kinds("Here:\n- a"), ElementsAre(Kind::text, Kind::list));
  EXPECT_THAT(kinds("> - a\n> - b"), ElementsAre(Kind::other))
      << "a list in a quote is the quote's";
}

TEST(MarkdownBlocksTest, TheItemsOfAListAreCountedWithoutThoseOfListsInIt) {
  EXPECT_EQ(n_items("- a\n  - b\n  - c\n- d"), 2U);
  EXPECT_EQ(n_items("1. a\n2. b\n3. c"), 3U);
  EXPECT_EQ(n_items("1) a\n2) b"), 2U);
  EXPECT_EQ(n_items("* a\n\n* b\n\n  and more of it\n\n* c"), 3U);
  EXPECT_EQ(n_items("+ a\ngoes on\n+ b"), 2U);
  EXPECT_EQ(n_items("- a\n* b\n+ c"), 3U) << "three lists of one item";
  EXPECT_EQ(n_items("- ```\n  - no item\n  ```\n- b"), 2U);
  EXPECT_EQ(n_items("a - b"), 0U);
}

TEST(MarkdownBlocksTest, ItemsWithoutTextAreCountedToo) {
  const std::vector<MarkdownBlock> blocks = markdown_blocks("- a\n-\n- b\n-\n");
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].n_items, 4U);
  EXPECT_EQ(blocks[0].n_empty_items, 2U);
}

TEST(MarkdownBlocksTest, LinesAreAsTheyAreWritten) {
  const std::vector<MarkdownBlock> blocks = markdown_blocks("**a** *b*\r\n  `c` \n\n# Head\n");
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_THAT(blocks[0].lines, ElementsAre("**a** *b*", "`c`"));
  EXPECT_THAT(blocks[1].lines, ElementsAre("# Head"));
}

TEST(MarkdownBlocksTest, ATableHasTheCellsThatAreWritten) {
  const std::vector<MarkdownBlock> blocks = markdown_blocks(
      "Prices:\n| name | price |\n|:--|--:|\n| a\\|b | $3 |\n| c |\n| d | 4 | 5 |\n");
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].kind, Kind::text);
  EXPECT_THAT(blocks[0].lines, ElementsAre("Prices:"));
  ASSERT_EQ(blocks[1].kind, Kind::table);
  EXPECT_THAT(blocks[1].rows, ElementsAre(ElementsAre("name", "price"), ElementsAre("a|b", "$3"),
                                          ElementsAre("c"), ElementsAre("d", "4", "5")));
  EXPECT_EQ(blocks[1].lines.size(), 5U);
}

TEST(MarkdownBlocksTest, ATableNeedsNoPipesAtItsEdges) {
  const std::vector<MarkdownBlock> blocks = markdown_blocks("a | b\n--- | ---\n1 | 2\n\nEnd.");
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_THAT(blocks[0].rows, ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "2")));
  EXPECT_THAT(kinds("| a | b |\n| 1 | 2 |"), ElementsAre(Kind::text)) << "no delimiter row";
  EXPECT_THAT(kinds("```\n| a |\n|---|\n```"), ElementsAre(Kind::other));
}

}  // namespace
}  // namespace confab::ui
