// SPDX-License-Identifier: MIT
// The full-screen chat: the built program on a pseudo-terminal.
#include "app/screen_chat.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "tests/app/program.h"

namespace confab::app {
namespace {

constexpr const char* kLeavesAlternateScreen = "\x1b[?1049l";

std::vector<std::string> words(int n_predict = 24) {
  return {"--temp", "0", "-t", "1", "-n", std::to_string(n_predict)};
}

TEST(ScreenChatTest, AnswersAndLeavesTheTerminalAsItWas) {
  const TempDir home;
  PtyProgram program(home, words());
  ASSERT_TRUE(program.wait_for("often wrong")) << program.output();
  program.type("Who are you?\r");
  ASSERT_TRUE(program.wait_for("tok/s")) << program.output();
  program.type("\x04");
  EXPECT_EQ(program.wait_for_exit(), 0);
  EXPECT_NE(program.output().find(kLeavesAlternateScreen), std::string::npos);
  EXPECT_TRUE(program.terminal_is_cooked());
}

TEST(ScreenChatTest, ContinueShowsHistoryAndCachedTokens) {
  const TempDir home;
  {
    PtyProgram program(home, words());
    ASSERT_TRUE(program.wait_for("often wrong"));
    program.type(
        "Write a short story about zebras and the people who live with them, and about the rain "
        "that they wait for, and the river that brings it, and the birds that sing when it comes."
        "\r");
    ASSERT_TRUE(program.wait_for("tok/s"));
    program.type("/exit\r");
    ASSERT_EQ(program.wait_for_exit(), 0);
  }
  std::vector<std::string> again = words();
  again.emplace_back("--continue");
  PtyProgram program(home, again);
  ASSERT_TRUE(program.wait_for("zebras")) << program.output();
  program.type("And then?\r");
  ASSERT_TRUE(program.wait_for("cached")) << program.output();
  program.type("\x04");
  EXPECT_EQ(program.wait_for_exit(), 0);
}

TEST(ScreenChatTest, CtrlCStopsTheAnswerAndTwiceLeaves) {
  const TempDir home;
  PtyProgram program(home, words(2000));
  ASSERT_TRUE(program.wait_for("often wrong"));
  program.type("Write a very long story about a fox.\r");
  ASSERT_TRUE(program.wait_for("tok/s"));
  program.type("\x03");
  ASSERT_TRUE(program.wait_for("answer was stopped")) << program.output();
  program.type("\x03");
  ASSERT_TRUE(program.wait_for("again"));
  program.type("\x03");
  EXPECT_EQ(program.wait_for_exit(), 0);
  EXPECT_TRUE(program.terminal_is_cooked());
}

TEST(ScreenChatTest, ResizingWhileStreamingKeepsGoing) {
  const TempDir home;
  PtyProgram program(home, words(200));
  ASSERT_TRUE(program.wait_for("often wrong"));
  program.type("Write a short story about a fox.\r");
  for (const auto& [rows, cols] : {std::pair{40, 120}, {5, 20}, {1, 1}, {24, 80}})
    program.resize(rows, cols);
  ASSERT_TRUE(program.wait_for("tok/s")) << program.output();
  program.type("\x03\x04");
  EXPECT_EQ(program.wait_for_exit(), 0);
}

TEST(ScreenChatTest, TermSavesAndRestores) {
  const TempDir home;
  {
    PtyProgram program(home, words(2000));
    ASSERT_TRUE(program.wait_for("often wrong"));
    program.type("Write a very long story about a wombat.\r");
    ASSERT_TRUE(program.wait_for("tok/s"));
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait_for_exit(), 128 + SIGTERM);
    EXPECT_NE(program.output().find(kLeavesAlternateScreen), std::string::npos);
    EXPECT_TRUE(program.terminal_is_cooked());
  }
  const RunResult listed = run_program(home, {"--plain"}, "/list\n");
  EXPECT_NE(listed.err.find("wombat"), std::string::npos);
}

TEST(ScreenChatTest, ACrashGivesTheTerminalBack) {
  const TempDir home;
  PtyProgram program(home, words(), 24, 80,
                     {"ASAN_OPTIONS=handle_segv=0", "TSAN_OPTIONS=handle_segv=0"});
  ASSERT_TRUE(program.wait_for("often wrong"));
  program.signal(SIGSEGV);
  EXPECT_EQ(program.wait_for_exit(), 128 + SIGSEGV);
  EXPECT_NE(program.output().find(kLeavesAlternateScreen), std::string::npos);
  EXPECT_TRUE(program.terminal_is_cooked());
}

TEST(ScreenChatTest, AnUnknownConversationIsToldBeforeTheScreenIsTaken) {
  const TempDir home;
  PtyProgram program(home, {"--resume", "nobody"});
  ASSERT_TRUE(program.wait_for("no conversation 'nobody'"));
  EXPECT_EQ(program.wait_for_exit(), 1);
  EXPECT_EQ(program.output().find("\x1b[?1049h"), std::string::npos);
}

}  // namespace
}  // namespace confab::app
