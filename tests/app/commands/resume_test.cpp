// SPDX-License-Identifier: MIT
#include "app/commands/resume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/chat/backend.h"
#include "tests/app/commands/command_fixture.h"
#include "tests/app/refusing_database.h"

namespace confab::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using ResumeCommandsTest = CommandFixture;

TEST_F(ResumeCommandsTest, ListShowsTitlesAndNumbers) {
  run_command(context_, "/list");
  EXPECT_THAT(console_.notices.back(), HasSubstr("No saved conversations"));
  say("What is a fox?");
  run_command(context_, "/list");
  EXPECT_THAT(console_.notices.back(), HasSubstr("What is a fox?"));
  EXPECT_THAT(console_.notices.back(), HasSubstr("2 messages"));
}

TEST_F(ResumeCommandsTest, RenameAndResumeByName) {
  say("What is a fox?");
  run_command(context_, "/rename  foxes and dens ");
  EXPECT_EQ(store_.list().front().title, "foxes and dens");
  run_command(context_, "/new");
  EXPECT_EQ(console_.n_shown, 1);
  EXPECT_TRUE(chat_.messages().empty());
  run_command(context_, "/resume foxes and dens");
  EXPECT_EQ(chat_.messages().size(), 2U);
  EXPECT_EQ(console_.n_shown, 2);
  EXPECT_TRUE(console_.errors.empty());
}

TEST_F(ResumeCommandsTest, ResumeSaysWhichModelIsMissing) {
  const sessions::NewMessage said[] = {
      {.role = sessions::Role::user, .content = "Hello?"},
      {.role = sessions::Role::assistant, .content = "Hi.", .model = "Gone"}};
  store_.create_conversation(said);
  Backend backend;
  context_.backend = &backend;
  run_command(context_, "/resume Hello?");
  EXPECT_EQ(shown().size(), 2U);
  EXPECT_EQ(backend.take_notice(),
            "This conversation used Gone, which is not on this machine; using fake instead.");
}

TEST_F(ResumeCommandsTest, DeleteAsksFirst) {
  say("What is a fox?");
  run_command(context_, "/delete");
  EXPECT_THAT(console_.confirmations,
              ElementsAre("Delete \"What is a fox?\" (2 messages) for good?"));
  EXPECT_EQ(store_.list().size(), 1U);
  console_.reply = "y";
  run_command(context_, "/delete");
  EXPECT_TRUE(store_.list().empty());
  EXPECT_TRUE(chat_.messages().empty());
}

TEST_F(ResumeCommandsTest, DeleteTakesAName) {
  say("What is a fox?");
  run_command(context_, "/new");
  say("What is a hen?");
  console_.reply = "y";
  run_command(context_, "/delete What is a fox?");
  ASSERT_EQ(store_.list().size(), 1U);
  EXPECT_EQ(chat_.messages().size(), 2U);  // the open one stays
}

class UnsavedTest : protected RefusingDatabase, public CommandFixture {
 protected:
  void converse_and_fail_to_save() {
    say("What is a fox?");
    refuse_writes();
    say("And a hen?");
  }
  void expect_that_only_what_comes_is_saved() {
    EXPECT_FALSE(chat_.has_unsaved());
    say("What is a dog?");
    ASSERT_EQ(store_.list().size(), 1U);
    EXPECT_EQ(store_.list().front().title, "What is a dog?");
  }
};

TEST_F(UnsavedTest, WhatIsDeletedDoesNotComeBack) {
  converse_and_fail_to_save();
  EXPECT_TRUE(chat_.has_unsaved());
  allow_all();
  console_.reply = "y";
  run("/delete");
  EXPECT_TRUE(store_.list().empty());
  expect_that_only_what_comes_is_saved();
}

TEST_F(UnsavedTest, WhatIsDeletedDoesNotComeBackWhenItHasBeenLeft) {
  converse_and_fail_to_save();
  run("/new");
  allow_all();
  EXPECT_TRUE(chat_.has_unsaved());
  console_.reply = "y";
  run("/delete What is a fox?");
  expect_that_only_what_comes_is_saved();
}

TEST_F(UnsavedTest, WhatCannotBeDeletedStays) {
  converse_and_fail_to_save();
  console_.reply = "y";
  run("/delete");
  EXPECT_EQ(console_.errors.size(), 1U);
  EXPECT_EQ(shown().size(), 4U);
  allow_all();
  chat_.save_rest();
  EXPECT_EQ(store_.messages(*chat_.conversation()).size(), 4U);
}

TEST_F(ResumeCommandsTest, SearchMarksWhatItFinds) {
  say("Where do foxes live?");
  run_command(context_, "/search foxes");
  EXPECT_THAT(console_.notices.back(), HasSubstr("Where do [foxes] live?"));
  EXPECT_THAT(console_.notices.back(), HasSubstr("/resume"));
  run_command(context_, "/search bears");
  EXPECT_THAT(console_.notices.back(), HasSubstr("Nothing found for: bears"));
  run_command(context_, "/search");
  EXPECT_THAT(console_.errors, ElementsAre(HasSubstr("/search WORDS")));
}

TEST_F(ResumeCommandsTest, PinnedOnesAreMarkedAndFirst) {
  say("First.");
  run_command(context_, "/pin");
  run_command(context_, "/new");
  say("Second.");
  EXPECT_EQ(store_.list()[0].title, "First.");
  run_command(context_, "/list");
  EXPECT_THAT(console_.notices.back(), HasSubstr("1 *"));
  run_command(context_, "/unpin First.");
  EXPECT_EQ(store_.list()[0].title, "Second.");
  EXPECT_THAT(console_.errors, IsEmpty());
}

TEST_F(ResumeCommandsTest, WithoutAStoreSavingCommandsSaySo) {
  CommandContext unsaved{chat_, nullptr, console_};
  run_command(unsaved, "/list");
  EXPECT_THAT(console_.errors, ElementsAre(HasSubstr("not saved")));
}

}  // namespace
}  // namespace confab::app
