// SPDX-License-Identifier: MIT
#include "ui/input/paste_chips.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

std::string lines(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += "line\n";
  return text;
}

TEST(PasteChipsTest, FoldsMoreLinesThanTen) {
  PasteChips chips;
  EXPECT_FALSE(chips.fold(""));
  EXPECT_FALSE(chips.fold("one\ntwo"));
  EXPECT_FALSE(chips.fold(lines(10)));
  EXPECT_TRUE(chips.empty());
  EXPECT_TRUE(chips.fold(lines(10) + "x"));
  EXPECT_FALSE(chips.empty());
}

TEST(PasteChipsTest, LabelsSayWhatIsFolded) {
  PasteChips chips;
  const std::string small = *chips.fold(lines(34));
  const std::string kilobytes = *chips.fold(lines(240));
  const std::string megabytes = *chips.fold(lines(300000));
  EXPECT_EQ(chips.at(small)->label, "[paste #1: 34 lines, 170 B]");
  EXPECT_EQ(chips.at(kilobytes)->label, "[paste #2: 240 lines, 1.2 KB]");
  EXPECT_EQ(chips.at(megabytes)->label, "[paste #3: 300000 lines, 1.5 MB]");
  EXPECT_EQ(chips.at(small)->text, lines(34));
}

TEST(PasteChipsTest, ExpandsWhatIsInTheLine) {
  PasteChips chips;
  const std::string one = *chips.fold(lines(11) + "1");
  const std::string two = *chips.fold(lines(11) + "2");
  EXPECT_EQ(chips.expand("a" + two + "é" + one + one + "b"),
            "a" + lines(11) + "2é" + lines(11) + "1" + lines(11) + "1b");
  EXPECT_EQ(chips.expand(""), "");
}

TEST(PasteChipsTest, TheNearestIsTheOneAtTheCaretOrBeforeItElseTheFirst) {
  PasteChips chips;
  const std::string line = "ab" + *chips.fold(lines(11)) + "cd" + *chips.fold(lines(11)) + "ef";
  EXPECT_EQ(chips.nearest(line, 0), 2u);
  EXPECT_EQ(chips.nearest(line, 7), 2u);
  EXPECT_EQ(chips.nearest(line, 8), 8u);
  EXPECT_EQ(chips.nearest(line, line.size()), 8u);
  EXPECT_FALSE(chips.nearest("abc\xf4\x8e", 1));
}

TEST(PasteChipsTest, NothingElseIsAChip) {
  PasteChips chips;
  const std::string one = *chips.fold(lines(11));
  EXPECT_FALSE(chips.at("a" + one));
  for (const char* text :
       {"", "a", "\xf4", "\xf4\x8e", "\xf4\x8e\x80", "\xf4\x8e\x80\x81", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_FALSE(chips.at(text));
    EXPECT_EQ(chips.expand(text), text);
  }
}

TEST(PasteChipsTest, TextCannotPoseAsAChip) {
  PasteChips chips;
  const std::string one = *chips.fold(lines(11));
  EXPECT_EQ(PasteChips::without_chips("a" + one + "b"), "a\uFFFDb");
  for (const char* text : {"", "é", "\xf4\x8e", "\xf4\x8e\x80", "\xf4\x8f\xbf\xbf", "\xf4\xf4\x8e"})
    EXPECT_EQ(PasteChips::without_chips(text), text);
}

TEST(PasteChipsTest, ThereIsABoundOnChips) {
  PasteChips chips;
  std::string last;
  for (std::size_t i = 0; i < PasteChips::kMaxChips; ++i)
    last = *chips.fold(lines(11) + std::to_string(i));
  EXPECT_EQ(chips.at(last)->text, lines(11) + std::to_string(PasteChips::kMaxChips - 1));
  EXPECT_FALSE(chips.fold(lines(11)));
}

}  // namespace
}  // namespace confab::ui
