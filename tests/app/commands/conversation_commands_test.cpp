// SPDX-License-Identifier: MIT
#include "app/commands/conversation_commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/app/commands/command_fixture.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using ConversationCommandsTest = CommandFixture;

TEST_F(ConversationCommandsTest, ListShowsTitlesAndNumbers) {
  run_command(context_, "/list");
  EXPECT_THAT(console_.notices.back(), HasSubstr("No conversation"));
  say("What is a fox?");
  run_command(context_, "/list");
  EXPECT_THAT(console_.notices.back(), HasSubstr("What is a fox?"));
  EXPECT_THAT(console_.notices.back(), HasSubstr("2 messages"));
}

TEST_F(ConversationCommandsTest, RenameAndResumeByName) {
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

TEST_F(ConversationCommandsTest, DeleteAsksFirst) {
  say("What is a fox?");
  run_command(context_, "/delete");
  EXPECT_EQ(store_.list().size(), 1U);
  EXPECT_THAT(console_.notices.back(), HasSubstr("again"));
  run_command(context_, "/delete");
  EXPECT_TRUE(store_.list().empty());
  EXPECT_TRUE(chat_.messages().empty());
}

TEST_F(ConversationCommandsTest, DeleteTakesAName) {
  say("What is a fox?");
  run_command(context_, "/new");
  say("What is a hen?");
  run_command(context_, "/delete What is a fox?");
  run_command(context_, "/delete What is a fox?");
  ASSERT_EQ(store_.list().size(), 1U);
  EXPECT_EQ(chat_.messages().size(), 2U);  // the open one stays
}

TEST_F(ConversationCommandsTest, SearchMarksWhatItFinds) {
  say("Where do foxes live?");
  run_command(context_, "/search foxes");
  EXPECT_THAT(console_.notices.back(), HasSubstr("Where do [foxes] live?"));
  EXPECT_THAT(console_.notices.back(), HasSubstr("/resume"));
  run_command(context_, "/search bears");
  EXPECT_THAT(console_.notices.back(), HasSubstr("Nothing found for: bears"));
  run_command(context_, "/search");
  EXPECT_THAT(console_.errors, ElementsAre(HasSubstr("/search WORDS")));
}

TEST_F(ConversationCommandsTest, PinnedOnesAreMarkedAndFirst) {
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

TEST_F(ConversationCommandsTest, ExportAndImportMakeTheSameConversation) {
  const TempDir dir;
  const std::string file = (dir / "chat.json").string();
  run_command(context_, "/export " + file);
  EXPECT_THAT(console_.errors.back(), HasSubstr("nothing to export"));
  say("What is a fox?");
  run_command(context_, "/export " + file);
  EXPECT_THAT(console_.notices.back(), HasSubstr(file));
  run_command(context_, "/import " + file);
  ASSERT_EQ(store_.list().size(), 2U);
  EXPECT_EQ(store_.list()[0].title, store_.list()[1].title);
  EXPECT_EQ(store_.messages(store_.list()[0].id)[1].content, "Answer.");
  run_command(context_, "/import " + (dir / "missing").string());
  EXPECT_THAT(console_.errors.back(), HasSubstr("No such file"));
}

TEST_F(ConversationCommandsTest, ThePromptIsWrittenAsTheModelReadsIt) {
  const TempDir dir;
  const std::string file = (dir / "prompt.txt").string();
  run_command(context_, "/dump " + file);
  EXPECT_THAT(console_.errors.back(), HasSubstr("no prompt yet"));
  say("What is a fox?");
  run_command(context_, "/dump");
  EXPECT_THAT(console_.errors.back(), HasSubstr("/show prompt"));
  run_command(context_, "/dump " + file);
  EXPECT_THAT(console_.notices.back(), HasSubstr(file));
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(text, context_.chat.prompt_text());
  EXPECT_THAT(text, HasSubstr("What is a fox?"));
}

// When the disk fails, this is how to rescue what is on the screen.
TEST_F(ConversationCommandsTest, AConversationThatIsNotSavedCanBeExported) {
  const TempDir dir;
  Chat unsaved(model_, nullptr, {});
  CommandContext context{unsaved, nullptr, console_};
  unsaved.send("What is a fox?");
  unsaved.take(engine::TextDelta{"A canine.", 1});
  unsaved.take(finished({1}));
  run_command(context, "/export md " + (dir / "x").string());
  EXPECT_THAT(console_.errors, IsEmpty());
  EXPECT_THAT(read_file(dir / "x"), HasSubstr("A canine."));
}

}  // namespace
}  // namespace confab::app
