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

}  // namespace
}  // namespace confab::ui
