// SPDX-License-Identifier: MIT
#include "app/screen/show_messages.h"

#include <gmock/gmock.h>

#include "tests/app/commands/command_fixture.h"
#include "ui/transcript/transcript_view.h"

namespace confab::app {
namespace {

using testing::HasSubstr;

class ConversationViewTest : public CommandFixture {
 protected:
  std::string screen() {
    ui::Frame frame(ui::Rows{20}, ui::Cols{60});
    view_.draw(frame, ui::Rows{0}, ui::Rows{20});
    return frame.to_text();
  }
  ui::Transcript said_;
  ui::TranscriptView view_{said_};
};

TEST_F(ConversationViewTest, ShowsWhatWasSaidAndThought) {
  chat_.send("Why?");
  chat_.take(engine::ReasoningDelta{"let me see", 1, {1}});
  chat_.take(engine::TextDelta{"*So.*", 2, {2}});
  show_messages(said_, chat_);
  EXPECT_EQ(said_.layout().items.size(), 1u) << "the answer is still being written";
  chat_.take(finished({1, 2}));
  said_.clear();
  show_messages(said_, chat_);
  EXPECT_THAT(screen(), HasSubstr("› Why?\n\n  ▸ Thoughts: 3 words\n\n  So.\n"));
}

TEST_F(ConversationViewTest, SaysHowAnUnfinishedAnswerGoesOn) {
  chat_.send("Why?");
  chat_.take(engine::TextDelta{"So", 1, {1}});
  chat_.take(finished({1}, engine::FinishReason::cancelled));
  show_messages(said_, chat_);
  EXPECT_THAT(screen(), HasSubstr("/continue"));
}

TEST_F(ConversationViewTest, MessagesWithSiblingsAreNumbered) {
  say("one");
  run_command(context_, "/retry");
  chat_.take(engine::TextDelta{"Other.", 1, {1}});
  chat_.take(finished({1}));
  show_messages(said_, chat_);
  label_messages(said_, context_);
  EXPECT_THAT(screen(), HasSubstr("› one\n\n  ‹ 2/2 ›\n  Other.\n"));
}

}  // namespace
}  // namespace confab::app
