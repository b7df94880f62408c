// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_view.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/ui/transcript/transcript_fixture.h"

namespace confab::ui {
namespace {

class TranscriptViewTest : public TranscriptFixture {};

TEST_F(TranscriptViewTest, ANewQuestionGoesToTheEnd) {
  said_.add_answer(paragraphs(1, 9));
  draw(3, 20);
  view_.window().to_top();
  said_.add_user("next");
  EXPECT_EQ(draw(3, 20), "p9\n\n› next\n");
}

TEST_F(TranscriptViewTest, NothingHostileIsDrawn) {
  said_.add_user("\x1b[2J");
  said_.add_answer("\x1b[2J\xc2\x9b");
  said_.set_tail("\x07");
  const std::string shown = draw(10, 40);
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown.find("\xc2\x9b"), std::string::npos);
  EXPECT_EQ(shown.find('\x07'), std::string::npos);
}

TEST_F(TranscriptViewTest, SurvivesEverySize) {
  said_.add_user("a question 界界");
  said_.begin_answer();
  said_.append_answer("# Title\n\n- one\n- two\n\n```c\nint x;\n```\n");
  for (const auto& [rows, cols] :
       {std::pair{1, 1}, {5, 20}, {24, 80}, {100, 300}, {1, 300}, {50, 2}}) {
    draw(rows, cols);
    view_.window().scroll_pages(-1);
    draw(rows, cols);
    view_.window().scroll(1);
  }
}

// The items above the view are laid out neither on drawing nor on a new width.
TEST_F(TranscriptViewTest, AFrameCostsWhatItShows) {
  using Clock = std::chrono::steady_clock;
  const auto cost = [](int n_items) {
    Transcript said;
    TranscriptView view(said);
    for (int i = 0; i < n_items; ++i) said.add_answer("Some *words* in item " + std::to_string(i));
    auto best = Clock::duration::max();
    for (int round = 0; round < 5; ++round) {
      const auto start = Clock::now();
      drawn(view, 24, 70 + round);
      best = std::min(best, Clock::now() - start);
    }
    return best;
  };
  EXPECT_LT(cost(20000), 20 * cost(100));
}

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
