// SPDX-License-Identifier: MIT
#include "app/commands/commands.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "app/commands/completion.h"
#include "sessions/conversations/sql.h"
#include "tests/app/commands/command_fixture.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

using CommandsTest = CommandFixture;

TEST(IsCommandTest, TellsCommandsFromText) {
  EXPECT_TRUE(is_command("/help"));
  EXPECT_TRUE(is_command("/rename a b"));
  EXPECT_TRUE(is_command("/nonsense"));
  EXPECT_FALSE(is_command("help"));
  EXPECT_TRUE(is_command("/")) << "which lets a person choose one";
  EXPECT_FALSE(is_command("/etc/hosts says what?"));
  EXPECT_FALSE(is_command("/help\nme"));
  EXPECT_TRUE(is_command("/edit Tell me\nmore."));
  EXPECT_FALSE(is_command(""));
}

TEST_F(CommandsTest, AnUnknownOneSuggestsTheNearestAndReachesNoModel) {
  run_command(context_, "/hlep");
  ASSERT_EQ(console_.errors.size(), 1U);
  EXPECT_THAT(console_.errors[0], HasSubstr("did you mean /help"));
  EXPECT_TRUE(model_.requests.empty());
}

TEST_F(CommandsTest, NothingIsSuggestedWhereNothingIsNear) {
  run_command(context_, "/zzz");
  EXPECT_THAT(console_.errors, ElementsAre("no command /zzz; /help lists the commands"));
}

// A row is all that a command needs to be found, completed and explained.
TEST_F(CommandsTest, EveryRowIsWholeAndItsNamesAreItsOwn) {
  run("/help");
  std::set<std::string> names;
  for (const Command& command : commands()) {
    EXPECT_TRUE(is_command(command.name)) << command.name;
    EXPECT_FALSE(command.help.empty()) << command.name;
    EXPECT_NE(command.run, nullptr) << command.name;
    EXPECT_THAT(console_.notices[0], HasSubstr(std::string(command.help)));
    std::istringstream all(fmt::format("{} {}", command.name, command.aliases));
    for (std::string name; all >> name;) {
      EXPECT_TRUE(name.starts_with('/')) << name;
      EXPECT_TRUE(names.insert(name).second) << name << " stands for two commands";
    }
    EXPECT_FALSE(complete(context_, "", command.name).empty()) << command.name;
  }
}

TEST_F(CommandsTest, AliasesWork) {
  run_command(context_, "/bye");
  EXPECT_TRUE(console_.quitted);
}

TEST(LeaveChatTest, WhatCouldNotBeSavedIsLostOnlyByAYes) {
  const TempDir dir;
  sessions::Store store(dir / "x.db");
  sessions::Database disk(dir / "x.db");
  disk.run_script(
      "CREATE TRIGGER full BEFORE INSERT ON message"
      " BEGIN SELECT raise(ABORT, 'the disk is full'); END");
  FakeModel model;
  Chat chat(model, &store, {});
  RecordingConsole console;
  CommandContext context{chat, &store, console};
  chat.send("One?");
  chat.take(finished({1}));
  run_command(context, "/exit");
  EXPECT_FALSE(console.quitted);
  EXPECT_THAT(console.confirmations, ElementsAre(HasSubstr("Leave and lose")));
  console.reply = "y";
  run_command(context, "/exit");
  EXPECT_TRUE(console.quitted);
  disk.run_script("DROP TRIGGER full");
  run_command(context, "/exit");
  EXPECT_EQ(console.confirmations.size(), 2U) << "it has been saved now";
  EXPECT_EQ(store.list().size(), 1U);
}

TEST_F(CommandsTest, FaultsAreToldNotThrown) {
  run_command(context_, "/read");
  run_command(context_, "/resume nobody");
  run_command(context_, "/rename x");
  run_command(context_, "/delete");
  EXPECT_EQ(console_.errors.size(), 4U);
  EXPECT_THAT(console_.errors, Contains(HasSubstr("no conversation 'nobody'")));
}

TEST_F(CommandsTest, WhatWouldSwitchConversationsWaitsForTheAnswer) {
  chat_.send("Tell me.");
  run_command(context_, "/new");
  EXPECT_THAT(console_.errors, ElementsAre(HasSubstr("Ctrl+C")));
  EXPECT_TRUE(chat_.generating());
  run_command(context_, "/stats");
  EXPECT_EQ(console_.notices.size(), 1U);
}

TEST_F(CommandsTest, CompletesCommandsAndTitles) {
  const auto completed = [this](std::string_view before, std::string_view word) {
    std::vector<std::string> texts;
    for (const ui::Candidate& candidate : complete(context_, before, word))
      texts.push_back(candidate.text);
    return texts;
  };
  EXPECT_FALSE(complete(context_, "", "/re").at(0).description.empty());
  EXPECT_THAT(completed("", "/re"), IsSupersetOf({"/resume", "/rename", "/retry", "/read"}));
  EXPECT_TRUE(completed("", "re").empty());
  say("What is a fox?");
  EXPECT_THAT(completed("/pin ", "Wh"), ElementsAre("What is a fox?"));
  EXPECT_THAT(completed("/resume ", "Wh"), ElementsAre("What is a fox?"));
  EXPECT_TRUE(completed("tell ", "Wh").empty());
  EXPECT_THAT(completed("/think ", ""), ElementsAre("on", "off", "show", "hide", "budget"));
  EXPECT_TRUE(completed("/think budget ", "").empty());
  EXPECT_THAT(completed("/show ", "te"), ElementsAre("template"));
  EXPECT_THAT(completed("/export ", "ht"), ElementsAre("html"));
  EXPECT_THAT(completed("tell me of ", "@" CONFAB_SOURCE_DIR "/READ"),
              ElementsAre("@" CONFAB_SOURCE_DIR "/README.md"));
  EXPECT_THAT(completed("/read ", CONFAB_SOURCE_DIR "/READ"),
              ElementsAre(CONFAB_SOURCE_DIR "/README.md"));
  EXPECT_THAT(completed("/read ", CONFAB_SOURCE_DIR "/ap"), ElementsAre(CONFAB_SOURCE_DIR "/app/"));
}

TEST_F(CommandsTest, CompletesPathsWhereverOneCanStand) {
  const TempDir folder;
  folder.file("two words.md", "");
  folder.file("other.toml", "");
  const std::string base = folder.path().string() + '/';
  const auto completed = [this](const std::string& before, const std::string& word) {
    std::vector<std::string> texts;
    for (const ui::Candidate& candidate : complete(context_, before, word))
      texts.push_back(candidate.text);
    return texts;
  };
  for (const char* command : {"/read ", "/file ", "/glob ", "/import ", "/dump ", "/export ",
                              "/export md ", "/model ", "/theme "})
    EXPECT_THAT(completed(command, base + "ot"), ElementsAre(base + "other.toml")) << command;
  EXPECT_THAT(completed("/read ", base + "two"), ElementsAre(base + "two words.md"));
  EXPECT_THAT(completed("/read " + base + "two ", "w"), ElementsAre("words.md"));
  EXPECT_TRUE(completed("/rename ", base + "ot").empty());
}

TEST_F(CommandsTest, AQuestionThatDoesNotFitGoesBackWithItsFiles) {
  const auto file = sessions::make_attachment("a.md", "text");
  const auto named = sessions::make_attachment("b.md", "named in the text, which names it again");
  context_.n_sent_along = 1;
  chat_.send({"Long?", {file, named}});
  const Outcome outcome = chat_.take(engine::Failed{"too long", true});
  end_aside(context_, {.end = AnswerEnd::failed,
                       .fault = "too long",
                       .too_long = true,
                       .refused = outcome.refused});
  EXPECT_EQ(console_.taken_back, std::vector<std::string>{"Long?"});
  EXPECT_EQ(context_.attached, std::vector{file});
  EXPECT_THAT(last_error(), HasSubstr("/compact"));
  EXPECT_THAT(last_error(), HasSubstr("/detach"));
}

TEST_F(CommandsTest, ALineBreakEndsAName) {
  say("one");
  run("/edit\ntwo\nlines");
  EXPECT_EQ(last_error(), "");
  EXPECT_EQ(shown().front(), "two\nlines");
}

}  // namespace
}  // namespace confab::app
