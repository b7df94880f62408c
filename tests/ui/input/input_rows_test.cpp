// SPDX-License-Identifier: MIT
#include "ui/input/input_line.h"

#include <gtest/gtest.h>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

class InputRowsTest : public testing::Test {
 protected:
  std::string shown() const {
    std::string out;
    for (std::size_t i = 0; i < rows_.size(); ++i) out += to_text(rows_.line(i)) + "\n";
    return out;
  }

  PasteChips chips_;
  InputRows rows_{chips_};
};

TEST_F(InputRowsTest, BreaksWhereRowsAreFull) {
  rows_.lay_out("abcdef\ng", 8, 4);
  EXPECT_EQ(shown(), "abcd\nef\ng\n");
  EXPECT_EQ(rows_.caret_row(), 2U);
  EXPECT_EQ(rows_.caret_col(), 1);
}

TEST_F(InputRowsTest, TheCaretAtAFullRowsEndIsOnTheNext) {
  rows_.lay_out("abcd", 4, 4);
  EXPECT_EQ(rows_.size(), 2U);
  EXPECT_EQ(rows_.caret_row(), 1U);
  EXPECT_EQ(rows_.caret_col(), 0);
}

TEST_F(InputRowsTest, CountsColumnsByGraphemes) {
  const std::string text = "e\u0301界👩‍🚀x";
  rows_.lay_out(text, text.size() - 1, 20);
  EXPECT_EQ(rows_.caret_col(), 5);
  rows_.lay_out(text, 1, 20);
  EXPECT_EQ(rows_.caret_col(), 0) << "inside of a grapheme is on it";
}

TEST_F(InputRowsTest, AChipIsOneUnitInItsOwnRole) {
  const std::string chip = *chips_.fold(std::string(20, '\n'));
  const std::string text = "a" + chip + "b";
  rows_.lay_out(text, text.size(), 60);
  EXPECT_EQ(shown(), "a[paste #1: 20 lines, 20 B]b\n");
  const Line line = rows_.line(0);
  ASSERT_EQ(line.spans.size(), 3U);
  EXPECT_EQ(line.spans[1].style.role, Role::chip);
  rows_.lay_out(text, text.size(), 8);
  EXPECT_EQ(shown(), "a\n[paste …\nb\n");
}

TEST_F(InputRowsTest, FindsTheColumnInOtherRows) {
  rows_.lay_out("abcdef\ng\nhij", 4, 20);
  EXPECT_EQ(rows_.offset_at(1), 8U);
  EXPECT_EQ(rows_.offset_at(2), 12U);
  EXPECT_EQ(rows_.offset_at(-1), std::nullopt);
  EXPECT_EQ(rows_.offset_at(3), std::nullopt);
  const std::string chip = *chips_.fold(std::string(20, '\n'));
  const std::string text = "abcd\n" + chip + "z";
  rows_.lay_out(text, 2, 60);
  EXPECT_EQ(rows_.offset_at(1), 5U) << "not into a chip";
}

TEST_F(InputRowsTest, NothingHostileIsShown) {
  rows_.lay_out("a\x1b]0;x\x07\u202e", 0, 20);
  EXPECT_EQ(shown().find_first_of("\x1b\x07"), std::string::npos);
  EXPECT_EQ(shown().find("\u202e"), std::string::npos);
}

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
