// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_painter.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/ui/transcript/transcript_fixture.h"

namespace confab::ui {
namespace {

class TranscriptPainterTest : public TranscriptFixture {};

TEST_F(TranscriptPainterTest, TellsWhoSpeaks) {
  said_.add_user("What is\na **fox**?");
  said_.add_answer("A *small* animal.");
  said_.add_answer("saved");
  said_.set_tail("stopped");
  EXPECT_EQ(draw(12, 40), "› What is\na **fox**?\n\nA small animal.\n\nsaved\n\nstopped\n");
}

TEST_F(TranscriptPainterTest, WrapsWhatThePersonSaidUnderItsFirstWord) {
  said_.add_user("alpha beta gamma");
  Frame frame(Rows{3}, Cols{9});
  view_.draw(frame, Rows{0}, Rows{3});
  EXPECT_EQ(frame.to_text(), "› alpha\n  beta\n  gamma\n");
}

// What the cells of a row show of a role, at their places.
std::string cells_of(const Frame& frame, int row, Role role) {
  std::string out;
  for (int col = 0; col < frame.cols().value; ++col) {
    const Cell& cell = frame.at({Rows{row}, Cols{col}});
    out += cell.style.role == role ? cell.text : " ";
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

TEST_F(TranscriptPainterTest, OfThreeLinksInARowTheOneWithTheFocusIsMarked) {
  const char* const wanted[] = {"  one", "      two", "          three"};
  said_.add_answer("[one](https://x.1) [two](https://x.2) [three](https://x.3)", 0);
  view_.focus().step(0);
  for (const char* cells : wanted) {
    ASSERT_TRUE(view_.focus().step_part(1));
    Frame frame(Rows{3}, Cols{60});
    view_.draw(frame, Rows{0}, Rows{3});
    EXPECT_EQ(cells_of(frame, 0, Role::selection), cells);
  }
}

TEST_F(TranscriptPainterTest, ALinkInATableIsMarkedAndNothingBesideIt) {
  said_.add_answer("> | a | b |\n> |---|---|\n> | [x](/1) | [y z](/2) |\n", 0);
  view_.focus().step(0);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(view_.focus().step_part(1));
  Frame frame(Rows{4}, Cols{40});
  view_.draw(frame, Rows{0}, Rows{4});
  EXPECT_EQ(cells_of(frame, 2, Role::selection) + cells_of(frame, 2, Role::focus),
            cells_of(frame, 2, Role::selection) + " ▌");
  EXPECT_TRUE(cells_of(frame, 2, Role::selection).ends_with("y z"));
  EXPECT_FALSE(cells_of(frame, 2, Role::selection).ends_with("x"));
}

TEST_F(TranscriptPainterTest, ATableWithTheFocusHasItsRulesMarked) {
  said_.add_answer("| a | b |\n|---|---|\n| c | d |\n", 0);
  view_.focus().step(0);
  ASSERT_TRUE(view_.focus().step_part(1));
  Frame frame(Rows{4}, Cols{40});
  view_.draw(frame, Rows{0}, Rows{4});
  EXPECT_EQ(cells_of(frame, 1, Role::focus), " ▌──┼──");
  EXPECT_EQ(cells_of(frame, 1, Role::rule), "");
}

TEST_F(TranscriptPainterTest, CodeWithTheFocusSaysWhatCopiesIt) {
  said_.add_answer("```python\nx\n```\n\n```\ny\n```\n", 0);
  EXPECT_EQ(draw(9, 40),
            "╭ python ─────────────────────────────\n  x\n"
            "╰─────────────────────────────────────\n\n"
            "╭─────────────────────────────────────\n  y\n"
            "╰─────────────────────────────────────\n");
  view_.focus().step(0);
  ASSERT_TRUE(view_.focus().step_part(1));
  EXPECT_TRUE(
      draw(9, 40).starts_with("▌╭ python ─────────────────── y copy ──\n▌  x\n"
                              "▌╰─────────────────────────────────────\n\n╭───"));
  Frame frame(Rows{9}, Cols{40});
  view_.draw(frame, Rows{0}, Rows{9});
  EXPECT_TRUE(cells_of(frame, 0, Role::focus).ends_with("── y copy ──"));
  EXPECT_EQ(cells_of(frame, 1, Role::focus), " ▌");
}

TEST_F(TranscriptPainterTest, WithoutRoomNothingIsSaid) {
  said_.add_answer("```python\nx\n```\n", 0);
  draw(3, 16);
  view_.focus().step(0);
  ASSERT_TRUE(view_.focus().step_part(1));
  EXPECT_EQ(draw(3, 16), "▌╭ python ─────\n▌  x\n▌╰─────────────\n");
}

}  // namespace
}  // namespace confab::ui
