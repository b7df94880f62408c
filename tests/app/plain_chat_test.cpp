// SPDX-License-Identifier: MIT
// The line-oriented chat: the built program on pipes and on a dumb terminal.
#include "app/plain_chat.h"

#include <gtest/gtest.h>

#include "sessions/store.h"
#include "tests/app/program.h"

namespace confab::app {
namespace {

const std::vector<std::string> kShort{"-n", "24", "--temp", "0", "-t", "1"};

std::vector<std::string> with(std::vector<std::string> words) {
  words.insert(words.end(), kShort.begin(), kShort.end());
  return words;
}

TEST(PlainChatTest, EachLineIsAQuestionAndAnswersAloneAreOnStdout) {
  const TempDir home;
  const RunResult result = run_program(home, with({}), "Hello.\n\n/stats\nWho are you?\n");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out.find("prompt "), std::string::npos);
  EXPECT_NE(result.err.find("cached"), std::string::npos) << result.err;
  EXPECT_GE(std::count(result.out.begin(), result.out.end(), '\n'), 2);
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
}

TEST(PlainChatTest, ConversationsComeBack) {
  const TempDir home;
  ASSERT_EQ(
      run_program(home, with({}),
                  "Write a short story about a fox and a hen who lived in a wood.\n/rename foxes\n")
          .status,
      0);
  const RunResult listed = run_program(home, with({}), "/list\n");
  EXPECT_NE(listed.err.find("foxes"), std::string::npos);
  const RunResult resumed = run_program(home, with({"--resume", "foxes"}), "And then?\n/stats\n");
  EXPECT_EQ(resumed.status, 0);
  EXPECT_NE(resumed.err.find("> Write a short story"), std::string::npos) << resumed.err;
  EXPECT_EQ(resumed.err.find(" 0 of them cached"), std::string::npos) << resumed.err;
  EXPECT_EQ(run_program(home, with({"--resume", "bears"}), "").status, 1);
}

TEST(PlainChatTest, AnUnknownThemeIsToldEvenWhereNoneIsUsed) {
  const TempDir home;
  const RunResult result = run_program(home, with({"--theme", "nope"}));
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("no theme 'nope'"), std::string::npos) << result.err;
}

TEST(PlainChatTest, ADumbTerminalGetsThePlainChat) {
  const TempDir home;
  PtyProgram program(home, with({}), 24, 80, {"TERM=dumb"});
  ASSERT_TRUE(program.wait_for("often wrong"));
  ASSERT_TRUE(program.wait_for("> "));
  program.type("Hello.\r");
  ASSERT_TRUE(program.wait_for("\n> "));
  program.type("\x04");
  EXPECT_EQ(program.wait_for_exit(), 0);
  EXPECT_TRUE(program.terminal_is_cooked());
}

TEST(PlainChatTest, AScreenReaderGetsWholeLinesAndNoEscapes) {
  const TempDir home;
  PtyProgram program(home, with({}), 24, 80, {"TERM=xterm-256color", "ACCESSIBLE=1"});
  ASSERT_TRUE(program.wait_for("> "));
  program.type("\"\"\"Say\rhello.\"\"\"\r");
  ASSERT_TRUE(program.wait_for("\nAnswer:\r\n"));
  ASSERT_TRUE(program.wait_for("\n> "));
  program.type("\x04");
  EXPECT_EQ(program.wait_for_exit(), 0);
  EXPECT_EQ(program.output().find('\x1b'), std::string::npos) << program.output();
}

TEST(PlainChatTest, AnInterruptStopsTheAnswerAndTheChatGoesOn) {
  const TempDir home;
  PtyProgram program(home, {"--plain", "--temp", "0", "-n", "2000"});
  ASSERT_TRUE(program.wait_for("> "));
  program.type("Write a very long story about a fox.\r");
  ASSERT_TRUE(program.wait_for("fox.\r\n"));
  program.type("\x03");
  ASSERT_TRUE(program.wait_for("> "));
  program.type("/exit\r");
  EXPECT_EQ(program.wait_for_exit(), 0);
}

// A question, and an answer that was being written when its program was killed.
class UnfinishedTest : public ::testing::Test {
 protected:
  void leave(const std::string& begun) {
    sessions::Store store(database());
    const auto c = store.create_conversation(
        {{sessions::NewMessage{.role = sessions::Role::user, .content = "What is a fox?"}}});
    store.append_message(c.conversation, c.message,
                         {.role = sessions::Role::assistant,
                          .content = begun,
                          .state = sessions::MessageState::draft});
  }
  std::filesystem::path database() const { return home_ / ".local/share/confab/confab.db"; }
  TempDir home_;
};

TEST_F(UnfinishedTest, WhatThereIsIsShownAndGoesOn) {
  leave("A fox is a small animal that");
  const RunResult result = run_program(home_, with({"--continue"}), "/continue\n");
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("A fox is a small animal that\n"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("/continue goes on"), std::string::npos) << result.err;
  EXPECT_EQ(result.out.find("A fox is"), std::string::npos) << result.out;  // it is there already
  sessions::Store store(database());
  const auto tree = store.tree(sessions::ConversationId{1});
  ASSERT_EQ(tree.messages.size(), 3U);
  EXPECT_EQ(tree.messages[2].content.find("A fox is a small animal that"), 0U);
  EXPECT_GT(tree.messages[2].content.size(), tree.messages[1].content.size());
  EXPECT_EQ(tree.messages[2].parent, tree.messages[0].id);
  EXPECT_EQ(result.out, tree.messages[2].content.substr(tree.messages[1].content.size()) + "\n");
}

TEST_F(UnfinishedTest, AQuestionWithoutAnAnswerIsAnswered) {
  leave("");
  const RunResult result = run_program(home_, with({"--continue"}), "/continue\n");
  EXPECT_NE(result.err.find("/continue answers it"), std::string::npos) << result.err;
  EXPECT_FALSE(result.out.empty());
}

// Two programs with one conversation: each goes on, and is told of the other.
TEST(PlainChatTest, TwoProgramsAreToldOfEachOther) {
  const TempDir home;
  ASSERT_EQ(run_program(home, with({}), "What is a fox?\n").status, 0);
  PtyProgram one(home, with({"--continue"}), 24, 80, {"TERM=dumb"});
  PtyProgram two(home, with({"--continue"}), 24, 80, {"TERM=dumb"});
  ASSERT_TRUE(one.wait_for("> What is a fox?"));
  ASSERT_TRUE(two.wait_for("> What is a fox?"));
  ASSERT_TRUE(one.wait_for("\n> "));
  ASSERT_TRUE(two.wait_for("\n> "));
  one.type("From one.\r");
  ASSERT_TRUE(one.wait_for("\n> "));
  EXPECT_EQ(one.output().find("Another program"), std::string::npos);
  two.type("From two.\r");
  EXPECT_TRUE(two.wait_for("Another program"));
  ASSERT_TRUE(two.wait_for("\n> "));
  one.type("More from one.\r");
  EXPECT_TRUE(one.wait_for("Another program"));
  ASSERT_TRUE(one.wait_for("\n> "));
  one.type("\x04");
  two.type("\x04");
  EXPECT_EQ(one.wait_for_exit(), 0);
  EXPECT_EQ(two.wait_for_exit(), 0);
  sessions::Store store(home / ".local/share/confab/confab.db");
  EXPECT_EQ(store.list().at(0).n_messages, 8);
}

}  // namespace
}  // namespace confab::app
