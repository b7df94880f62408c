// SPDX-License-Identifier: MIT
// The full-screen chat: the built program on a pseudo-terminal.
#include "app/screen/event_loop.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "tests/app/program.h"
#include "tests/ui/vt_screen.h"

namespace confab::app {
namespace {

constexpr const char* kTakesAlternateScreen = "\x1b[?1049h";
constexpr const char* kLeavesAlternateScreen = "\x1b[?1049l";

std::vector<std::string> words(int n_predict) {
  return {"--temp", "0", "-t", "1", "-n", std::to_string(n_predict)};
}

// All tokens are nearly as likely, so that one that ends the answer is as good as never written.
std::vector<std::string> endless_words() {
  return {"--temp", "5",      "--top-k", "0",  "--top-p", "1",  "--min-p",
          "0",      "--seed", "1",       "-t", "1",       "-n", "2000"};
}

void expect_terminal_back(const PtyProgram& program) {
  EXPECT_NE(program.output().find(kLeavesAlternateScreen), std::string::npos);
  EXPECT_TRUE(program.terminal_is_cooked());
}

// Long enough to be kept (PrefixCache::kMinTokens), however soon the answer is stopped.
const char* const kQuestion =
    "Write a very long story about a fox. Let there be a hunter, a river, three wolves, a winter "
    "without snow, an old owl that knows the way, a bridge of ice, a lost kitten, a farmer with a "
    "lantern, and an end that nobody expects.\r";

TEST(ScreenChatTerminalTest, AConversationIsHadAndGoneOnWith) {
  const TempDir home;
  {
    SCOPED_TRACE("an answer that is stopped");
    PtyProgram program(home, endless_words());
    ASSERT_TRUE(program.wait_for("often wrong")) << program.output();
    program.type(kQuestion);
    ASSERT_TRUE(program.wait_for("tok/s")) << program.output();
    program.type("\x03");
    ASSERT_TRUE(program.wait_for("answer was stopped")) << program.output();
    program.type("/exit\r");
    EXPECT_EQ(program.wait_for_exit(), 0);
    expect_terminal_back(program);
  }
  SCOPED_TRACE("the same conversation again");
  std::vector<std::string> again = words(24);
  again.emplace_back("--continue");
  PtyProgram program(home, again);
  ASSERT_TRUE(program.wait_for("story about a fox")) << program.output();
  program.type("And then?\r");
  ASSERT_TRUE(program.wait_for("cached")) << program.output();
  program.type("\x03");
  ASSERT_TRUE(program.wait_for("again")) << program.output();
  program.type("\x03");
  EXPECT_EQ(program.wait_for_exit(), 0);
  expect_terminal_back(program);
}

TEST(ScreenChatTerminalTest, SeveralAnswersStandSideBySideWhereThereIsRoom) {
  for (const int cols : {140, 60}) {
    SCOPED_TRACE(std::to_string(cols));
    const TempDir home;
    PtyProgram program(home, {"--temp", "1", "--seed", "3", "-t", "1", "-n", "400"}, 24, cols);
    ASSERT_TRUE(program.wait_for("often wrong")) << program.output();
    program.type("Say hello.\r");
    ASSERT_TRUE(program.wait_for("tokens in")) << program.output();
    program.type("/retry 3\r");
    ASSERT_TRUE(program.wait_for(cols > 100 ? "Answer 3" : "answer 1 of 3")) << program.output();
    ASSERT_TRUE(program.wait_for("3 answers were written")) << program.output();
    program.type("/exit\r");
    EXPECT_EQ(program.wait_for_exit(), 0);
    expect_terminal_back(program);
  }
}

struct Ending {
  const char* name;
  void (*end)(PtyProgram& program);
  int status;
  bool leaves_a_terminal = true;
  bool keeps_the_answer = true;  // as far as it had come
};

const Ending kEndings[] = {
    {"Ctrl+C and Ctrl+D", [](PtyProgram& program) { program.type("\x03\x04"); }, 0},
    {"SIGTERM", [](PtyProgram& program) { program.signal(SIGTERM); }, 128 + SIGTERM},
    {"SIGHUP", [](PtyProgram& program) { program.signal(SIGHUP); }, 128 + SIGHUP},
    {"a hang-up", [](PtyProgram& program) { program.hang_up(); }, 128 + SIGHUP, false},
    {"SIGSEGV", [](PtyProgram& program) { program.signal(SIGSEGV); }, 128 + SIGSEGV, true, false},
    {"SIGABRT", [](PtyProgram& program) { program.signal(SIGABRT); }, 128 + SIGABRT, true, false},
};

// While an answer streams.
void expect_an_orderly_end(const Ending& ending) {
  SCOPED_TRACE(ending.name);
  const TempDir home;
  PtyProgram program(home, words(2000), 24, 80,
                     {"ASAN_OPTIONS=handle_segv=0", "TSAN_OPTIONS=handle_segv=0"});
  ASSERT_TRUE(program.wait_for("often wrong")) << program.output();
  program.type("Write a very long story about a wombat.\r");
  ASSERT_TRUE(program.wait_for("tok/s")) << program.output();
  ending.end(program);
  EXPECT_EQ(program.wait_for_exit(), ending.status);
  if (ending.leaves_a_terminal) expect_terminal_back(program);
  const std::string kept = run_program(home, {"export", "1"}).out;
  EXPECT_NE(kept.find("about a wombat.\n\n"), std::string::npos) << kept;
  constexpr std::string_view kAnswer = "\n## Confab Demo 46M\n\n";
  const std::size_t answer = kept.find(kAnswer);
  if (ending.keeps_the_answer) {
    ASSERT_NE(answer, std::string::npos) << kept;
    EXPECT_GT(kept.size(), answer + kAnswer.size() + 1) << kept;
  }
}

TEST(ScreenChatTerminalTest, EveryEndGivesTheTerminalBackAndKeepsTheConversation) {
  for (const Ending& ending : kEndings) expect_an_orderly_end(ending);
  SCOPED_TRACE("an error is told before the screen is taken");
  const TempDir home;
  PtyProgram program(home, {"--resume", "nobody"});
  ASSERT_TRUE(program.wait_for("no conversation 'nobody'")) << program.output();
  EXPECT_EQ(program.wait_for_exit(), 1);
  EXPECT_EQ(program.output().find(kTakesAlternateScreen), std::string::npos);
  EXPECT_TRUE(program.terminal_is_cooked());
}

// A terminal that answers what it is asked.
class AnsweringTerminal {
 public:
  AnsweringTerminal(PtyProgram& program, ui::VtScreen& screen)
      : program_(program), screen_(screen) {}
  bool wait_for(const std::string& text) {
    const bool came = program_.wait_for(text);
    show();
    program_.type(screen_.take_answers());
    return came;
  }
  void show() {
    screen_.feed(std::string_view(program_.output()).substr(n_fed_));
    n_fed_ = program_.output().size();
  }

 private:
  PtyProgram& program_;
  ui::VtScreen& screen_;
  std::size_t n_fed_ = 0;
};

TEST(InlineChatTerminalTest, TheConversationStaysInTheScrollback) {
  const TempDir home;
  ui::VtScreen screen(24, 80);
  screen.feed("$ ls\r\nnotes.txt\r\n$ confab --plain\r\n");
  std::vector<std::string> plain = words(24);
  plain.emplace_back("--plain");
  PtyProgram program(home, plain);
  AnsweringTerminal terminal(program, screen);
  ASSERT_TRUE(terminal.wait_for("\x1b[c")) << program.output();
  ASSERT_TRUE(terminal.wait_for("Ask anything")) << program.output();
  program.type("Who are you?\r");
  ASSERT_TRUE(terminal.wait_for("tok/s")) << program.output();
  program.type("\t");  // the focus has a screen of its own
  ASSERT_TRUE(terminal.wait_for("y copy")) << program.output();
  EXPECT_TRUE(screen.alternate());
  program.type("\x1b");
  ASSERT_TRUE(terminal.wait_for(kLeavesAlternateScreen)) << program.output();
  EXPECT_FALSE(screen.alternate());
  program.type("/exit\r");
  EXPECT_EQ(program.wait_for_exit(), 0);
  EXPECT_TRUE(program.terminal_is_cooked());
  terminal.show();
  const std::string text = screen.to_text();
  EXPECT_EQ(text.rfind("$ ls\nnotes.txt\n$ confab --plain\n", 0), 0u) << text;
  EXPECT_NE(text.find("\n› Who are you?\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("tok/s"), std::string::npos) << "the live part is gone\n" << text;
  const auto n_rows =
      std::count(text.begin(), text.begin() + text.find_last_not_of('\n') + 1, '\n');
  EXPECT_EQ(screen.cursor().row.value, n_rows + 1) << text;
  EXPECT_EQ(screen.cursor().col.value, 0);
}

}  // namespace
}  // namespace confab::app
