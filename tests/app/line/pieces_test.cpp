// SPDX-License-Identifier: MIT
#include "app/line/fitting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace confab::app {
namespace {

using ::testing::ElementsAre;

TEST(PiecesTest, AMiddleIsLeftOutInWholeLines) {
  const std::string text = "one\ntwo\nthree\nfour\nfive\n";
  EXPECT_EQ(without_middle(text, 100).text, text);
  EXPECT_EQ(without_middle(text, 14).text, "one\n[... 3 lines left out here ...]\nfive\n");
  const WithoutMiddle cut = without_middle(text, 14);
  EXPECT_EQ(cut.n_lines_left_out, 3U);
  EXPECT_EQ(cut.n_bytes_left_out, 15U);
  EXPECT_EQ(without_middle(text, 0).text, "[... 5 lines left out here ...]\n");
  EXPECT_EQ(without_middle("one\ntwo\nthree", 9).text,
            "one\n[... 1 line left out here ...]\nthree");
}

TEST(PiecesTest, ALongLineIsCutBetweenCharacters) {
  EXPECT_EQ(without_middle("abcdefghij", 4).text, "ab\n[... 6 bytes left out here ...]\nij");
  const WithoutMiddle cut = without_middle("\u00e9\u00e9\u00e9\u00e9\u00e9", 6);
  EXPECT_EQ(cut.text, "\u00e9\n[... 6 bytes left out here ...]\n\u00e9");
  EXPECT_EQ(cut.n_lines_left_out, 0U);
}

// Whatever is wanted, what is left is no more, and is the beginning and the end.
TEST(PiecesTest, NoMoreIsLeftThanWanted) {
  std::string text;
  for (int i = 0; i < 50; ++i)
    text += std::string(static_cast<std::size_t>(i * 7 % 23), 'x') + '\n';
  for (std::size_t most = 0; most < text.size(); ++most) {
    const WithoutMiddle cut = without_middle(text, most);
    const std::size_t mark = cut.text.find("[...");
    const std::size_t end = cut.text.find("...]\n") + 5;
    EXPECT_LE(text.size() - cut.n_bytes_left_out, most);
    EXPECT_TRUE(text.starts_with(cut.text.substr(0, mark == 0 ? 0 : mark - 1))) << most;
    EXPECT_TRUE(text.ends_with(cut.text.substr(end))) << most;
  }
}

std::vector<std::string> all_of(Pieces pieces, std::size_t most) {
  std::vector<std::string> all;
  while (pieces.n_left() > 0) {
    std::string text;
    for (const auto& file : pieces.next(most)) text += file.name + "=" + *file.content + ";";
    all.push_back(text);
    pieces.skip(most);
  }
  return all;
}

Pieces pieces(std::initializer_list<std::pair<const char*, const char*>> files) {
  std::vector<sessions::Attachment> all;
  for (const auto& [name, text] : files) all.push_back(sessions::make_attachment(name, text));
  return Pieces(all);
}

TEST(PiecesTest, FilesAreCutAtLinesAndSmallOnesStayTogether) {
  EXPECT_THAT(all_of(pieces({{"a", "1\n2\n3\n"}, {"b", "x\n"}, {"c", "y\nz\n"}}), 6),
              ElementsAre("a=1\n2\n3\n;", "b=x\n;c=y\nz\n;"));
  EXPECT_THAT(all_of(pieces({{"a", "1\n2\n3\n"}, {"b", "x\n"}}), 4),
              ElementsAre("a (lines 1 to 2)=1\n2\n;", "a (line 3)=3\n;b=x\n;"));
  EXPECT_THAT(all_of(pieces({{"a", "1\n"}, {"b", "a long line\nx\n"}}), 12),
              ElementsAre("a=1\n;", "b (line 1)=a long line\n;", "b (line 2)=x\n;"));
}

TEST(PiecesTest, WhatIsPipedInHasNoOtherName) {
  EXPECT_THAT(all_of(pieces({{"-", "1\n2\n"}}), 2), ElementsAre("-=1\n;", "-=2\n;"));
}

TEST(PiecesTest, EveryByteComesOnceWhateverTheSize) {
  const std::string text = "a\n\u00e9\u00e9\u00e9\n\n\U0001F98A\U0001F98A\nlast";
  for (std::size_t most = 1; most < 40; ++most) {
    Pieces left = pieces({{"a", text.c_str()}, {"empty", ""}, {"b", text.c_str()}});
    std::string all;
    while (left.n_left() > 0) {
      const auto next = left.next(most);
      ASSERT_FALSE(next.empty());
      for (const auto& file : next) all += *file.content;
      left.skip(most);
    }
    EXPECT_EQ(all, text + text) << most;
  }
}

}  // namespace
}  // namespace confab::app
