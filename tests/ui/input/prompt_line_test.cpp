// SPDX-License-Identifier: MIT
#include "ui/input/prompt_line.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

using Outcome = PromptLine::Outcome;

class PromptLineTest : public testing::Test {
 protected:
  void type(std::u32string_view text) {
    for (const char32_t c : text) EXPECT_EQ(line_.feed(Key{.character = c}), Outcome::edited);
  }
  Outcome control(char32_t c) { return line_.feed(Key{.character = c, .ctrl = true}); }
  Outcome press(Key::Code code) { return line_.feed(Key{.code = code}); }
  std::string screen(int cols) {
    Frame frame(Rows{1}, Cols{cols});
    line_.draw(frame, Rows{0});
    caret_ = frame.cursor->col.value;
    return frame.to_text();
  }
  PromptLine line_{"Find:"};
  int caret_ = 0;
};

TEST_F(PromptLineTest, LettersAreInsertedAtTheCaret) {
  type(U"aé界c");
  press(Key::Code::left);
  press(Key::Code::left);
  type(U"x");
  EXPECT_EQ(line_.text(), "aéx界c");
  EXPECT_EQ(screen(20), "Find: aéx界c\n");
  EXPECT_EQ(caret_, 9);
  press(Key::Code::backspace);
  press(Key::Code::del);
  EXPECT_EQ(line_.text(), "aéc");
}

TEST_F(PromptLineTest, ControlKeysEditAsInAShell) {
  line_.paste("one two  three");
  control(U'w');
  EXPECT_EQ(line_.text(), "one two  ");
  control(U'w');
  EXPECT_EQ(line_.text(), "one ");
  control(U'a');
  EXPECT_EQ(control(U'h'), Outcome::moved);
  control(U'e');
  EXPECT_EQ(control(U'h'), Outcome::edited);
  EXPECT_EQ(line_.text(), "one");
  EXPECT_EQ(control(U'u'), Outcome::edited);
  EXPECT_EQ(control(U'w'), Outcome::moved);
  EXPECT_EQ(line_.text(), "");
}

TEST_F(PromptLineTest, EndsWithEnterAndIsLeftWithEscape) {
  EXPECT_EQ(press(Key::Code::enter), Outcome::done);
  EXPECT_EQ(press(Key::Code::escape), Outcome::cancelled);
  EXPECT_EQ(control(U'c'), Outcome::cancelled);
  EXPECT_EQ(press(Key::Code::up), Outcome::unknown);
}

TEST_F(PromptLineTest, ALongTextShowsThePartAroundTheCaret) {
  line_.paste("abcdefghijkl");
  EXPECT_EQ(screen(12), "Find: hijkl\n");
  EXPECT_EQ(caret_, 11);
  control(U'a');
  EXPECT_EQ(screen(12), "Find: abcdef\n");
  EXPECT_EQ(caret_, 6);
  for (int cols = 1; cols < 12; ++cols) screen(cols);
}

TEST_F(PromptLineTest, PastesAreOneSafeLine) {
  line_.paste("a\nb\x1b[2J");
  EXPECT_EQ(line_.text(), "a b␛[2J");
}

}  // namespace
}  // namespace confab::ui
