// SPDX-License-Identifier: MIT
#include "ui/input/input_rows.h"

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

}  // namespace
}  // namespace confab::ui
