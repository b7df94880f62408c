// SPDX-License-Identifier: MIT
#include "app/commands/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/app/commands/command_fixture.h"
#include "tests/app/home_dir.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

using ExportCommandsTest = CommandFixture;

TEST_F(ExportCommandsTest, WhatWasExportedIsKnownWhenItIsImported) {
  const TempDir dir;
  const std::string file = (dir / "chat.json").string();
  run_command(context_, "/export " + file);
  EXPECT_THAT(console_.errors.back(), HasSubstr("nothing to export"));
  say("What is a fox?");
  run_command(context_, "/export " + file);
  EXPECT_THAT(console_.notices.back(), HasSubstr(file));
  run_command(context_, "/import " + file);
  ASSERT_EQ(store_.list().size(), 1U);
  EXPECT_EQ(store_.messages(store_.list()[0].id)[1].content, "Answer.");
  run_command(context_, "/import " + (dir / "missing").string());
  EXPECT_THAT(console_.errors.back(), HasSubstr("No such file"));
}

TEST_F(ExportCommandsTest, ThePromptIsWrittenAsTheModelReadsIt) {
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

TEST_F(ExportCommandsTest, NoFileIsReplacedWithoutAYes) {
  const TempDir dir;
  const std::string file = dir.file("chat.md", "mine");
  say("What is a fox?");
  for (const char* command : {"/export ", "/dump "}) {
    run_command(context_, command + file);
    EXPECT_THAT(console_.confirmations.back(), HasSubstr("chat.md exists"));
    EXPECT_EQ(read_file(file), "mine") << command;
  }
  console_.reply = "y";
  run_command(context_, "/export " + file);
  EXPECT_THAT(read_file(file), HasSubstr("## You\n\nWhat is a fox?"));
}

TEST_F(ExportCommandsTest, ATitleThatIsTooLongForAFileIsCut) {
  const TempDir dir;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  say("What is a fox?");
  run_command(context_, "/rename " + std::string(300, 'x'));
  run_command(context_, "/export");
  std::filesystem::current_path(before);
  EXPECT_THAT(console_.errors, IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(dir / (std::string(252, 'x') + ".md")));
}

TEST_F(ExportCommandsTest, TheHomeDirectoryHasAShortName) {
  const HomeDir home;
  say("What is a fox?");
  for (const char* command : {"/export ~/chat.json", "/import ~/chat.json", "/dump ~/prompt.txt",
                              "/read ~/prompt.txt", "/glob ~/p*.txt"})
    run_command(context_, command);
  EXPECT_THAT(console_.errors, IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(home / "chat.json"));
  EXPECT_TRUE(std::filesystem::exists(home / "prompt.txt"));
  EXPECT_EQ(store_.list().size(), 1U);
  EXPECT_EQ(context_.attached.size(), 2U);
}

// When the disk fails, this is how to rescue what is on the screen.
TEST_F(ExportCommandsTest, AConversationThatIsNotSavedCanBeExported) {
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
