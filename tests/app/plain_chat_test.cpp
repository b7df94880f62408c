// SPDX-License-Identifier: MIT
// The line-oriented chat: the built program on pipes and on a dumb terminal.
#include "app/plain_chat.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace confab::app
