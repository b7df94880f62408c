// SPDX-License-Identifier: MIT
#include "app/commands/context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/commands/command_fixture.h"

namespace confab::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CompactCommandsTest : public CommandFixture, public AnswerSink {
 protected:
  void tell(std::vector<engine::Event> events) {
    for (engine::Event& event : events) model_.events.push_back(std::move(event));
    if (const auto outcome = AnswerLoop(&chat_, *this).take(model_)) end_aside(context_, *outcome);
  }
  void progress(std::size_t, const AnswerWait&) override {}
  void reasoning(std::size_t, const engine::ReasoningDelta&) override {}
  bool text(std::size_t, const engine::TextDelta&) override { return true; }
};

TEST_F(CompactCommandsTest, CompactGoesOnWithTheSummary) {
  chat_.set_system("Be kind.");
  answer("one", "1.");
  const auto before = chat_.conversation();
  run("/compact");
  ASSERT_TRUE(chat_.summarising());
  EXPECT_THAT(shown(), ElementsAre("one", "1."));
  tell({engine::TextDelta{"We counted.", 1}, finished({1})});
  EXPECT_THAT(last_notice(), HasSubstr("We counted."));
  EXPECT_EQ(store_.messages(*before).size(), 3u);  // nothing that the person has not said
  EXPECT_TRUE(chat_.messages().empty());
  EXPECT_THAT(chat_.system(), HasSubstr("Be kind.\n\nSummary"));
  EXPECT_THAT(chat_.system(), HasSubstr("We counted."));
  answer("two", "2.");
  EXPECT_NE(chat_.conversation(), before);
  chat_.start_new();
  EXPECT_EQ(chat_.system(), "Be kind.");
}

// The next good answer is no summary, and the conversation has nothing of it.
TEST_F(CompactCommandsTest, ASummaryThatIsStoppedOrFailsChangesNothing) {
  answer("one", "1.");
  run("/compact");
  tell({engine::TextDelta{"We co", 1}, finished({1}, engine::FinishReason::cancelled)});
  EXPECT_THAT(chat_.take_notice(), HasSubstr("No summary"));
  answer("two", "2.");
  EXPECT_THAT(shown(), ElementsAre("one", "1.", "two", "2."));
  run("/compact");
  tell({engine::Failed{"broken"}});
  EXPECT_THAT(chat_.take_error(), HasSubstr("no summary: broken"));
  answer("three", "3.");
  EXPECT_THAT(shown(), ElementsAre("one", "1.", "two", "2.", "three", "3."));
  EXPECT_EQ(chat_.system(), "");
}

TEST_F(CompactCommandsTest, AFullContextIsSummarisedByItsEnd) {
  answer(std::string(4000, 'q'), std::string(4000, 'a'));
  model_.change_info().n_ctx = 20;  // all of it is used
  run("/compact");
  const auto n_told = [this] {
    std::size_t n = 0;
    for (const engine::Turn& turn : model_.requests.back().turns) n += turn.message.content.size();
    return n;
  };
  const std::size_t n_first = n_told();
  tell({engine::Failed{"too long", true}});
  EXPECT_LT(n_told(), n_first);
  tell({engine::TextDelta{"We", 1}, finished({1}, engine::FinishReason::context_full)});
  tell({engine::TextDelta{"We spoke.", 1}, finished({1})});
  EXPECT_THAT(chat_.system(), HasSubstr("We spoke."));
}

TEST_F(CompactCommandsTest, AContextThatIsTooSmallForAnySummarySaysSo) {
  answer("one", "1.");
  run("/compact");
  tell({engine::Failed{"too long", true}});
  EXPECT_FALSE(chat_.generating());
  EXPECT_THAT(chat_.take_error(), HasSubstr("too small"));
  EXPECT_THAT(shown(), ElementsAre("one", "1."));
}

TEST_F(CompactCommandsTest, ForgetLeavesTheFirstQuestionsOut) {
  answer("one", "1.");
  answer("two", "2.");
  run("/forget");
  ASSERT_EQ(chat_.messages().size(), 2u);
  EXPECT_EQ(chat_.messages()[0].content, "two");
  EXPECT_EQ(store_.messages(*chat_.conversation()).size(), 2u);
  EXPECT_EQ(store_.tree(*chat_.conversation()).messages.size(), 6u);
}

}  // namespace
}  // namespace confab::app
