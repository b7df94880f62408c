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
  said_.add_notice("saved");
  said_.set_tail("stopped");
  EXPECT_EQ(draw(12, 40), "› What is\na **fox**?\n\nA small animal.\n\nsaved\n\nstopped\n");
}

TEST_F(TranscriptPainterTest, WrapsWhatThePersonSaidUnderItsFirstWord) {
  said_.add_user("alpha beta gamma");
  Frame frame(Rows{3}, Cols{9});
  view_.draw(frame, Rows{0}, Rows{3});
  EXPECT_EQ(frame.to_text(), "› alpha\n  beta\n  gamma\n");
}

}  // namespace
}  // namespace confab::ui
