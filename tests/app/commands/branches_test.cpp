// SPDX-License-Identifier: MIT
#include "app/commands/branches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/commands/command_fixture.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using BranchesCommandsTest = CommandFixture;

TEST_F(BranchesCommandsTest, HistoryNumbersQuestionsAsEditTakesThem) {
  answer("one", "1.");
  answer("two", "2.");
  run("/history");
  EXPECT_THAT(last_notice(), testing::StartsWith("  2  one\n  1  two\n"));
  run("/edit 2");
  EXPECT_EQ(console_.edited, 0u);
  run("/edit");
  EXPECT_EQ(console_.edited, 2u);
  run("/edit 3");
  EXPECT_THAT(last_error(), HasSubstr("/history"));
}

// Another program that has the conversation open shows, and stores, a branch of its own.
TEST_F(BranchesCommandsTest, TheBranchThatIsShownHereHasTheStar) {
  chat_.send("One?");
  answer("First.");
  const auto id = *chat_.conversation();
  const auto first = store_.conversation(id)->head;
  run("/retry");
  answer("Second.");
  store_.set_head(id, first);
  run("/branches");
  EXPECT_THAT(last_notice(), HasSubstr("  1     2 messages"));
  EXPECT_THAT(last_notice(), HasSubstr("  2 *   2 messages"));
  const TempDir dir;
  run("/export " + (dir / "a.md").string());
  EXPECT_THAT(read_file(dir / "a.md"), HasSubstr("Second."));
}

TEST_F(BranchesCommandsTest, ForkGoesOnInACopyOfTheSameAge) {
  chat_.send("One?");
  answer("First.");
  const auto original = *chat_.conversation();
  run("/fork");
  EXPECT_NE(chat_.conversation(), original);
  EXPECT_THAT(shown(), ElementsAre("One?", "First."));
  const auto copy = *store_.conversation(*chat_.conversation());
  EXPECT_EQ(copy.title, "One? (fork)");
  EXPECT_EQ(copy.created, store_.conversation(original)->created);
  EXPECT_EQ(store_.messages(copy.id)[1].tokens, store_.messages(original)[1].tokens);
  EXPECT_EQ(store_.messages(copy.id)[1].stats, store_.messages(original)[1].stats);
  const auto now = model_.requests.back().settings.now;
  chat_.send("Two?");
  EXPECT_EQ(model_.requests.back().settings.now, now);
  answer("Second.");
  EXPECT_EQ(store_.messages(original).size(), 2U);
  run("/fork another way");
  EXPECT_EQ(store_.conversation(*chat_.conversation())->title, "another way");
  EXPECT_THAT(console_.errors, IsEmpty());
}

}  // namespace
}  // namespace confab::app
