// SPDX-License-Identifier: MIT
// The full-screen chat on terminals that behave badly: the built program, what it writes, and a
// screen that interprets it.
#include <gtest/gtest.h>
#include <signal.h>

#include <random>

#include "tests/app/program.h"
#include "tests/ui/escape_scanner.h"
#include "tests/ui/vt_screen.h"

namespace confab::app {
namespace {

constexpr std::string_view kClear = "\x1b[m\x1b[H\x1b[J";

std::vector<std::string> words(int n_predict) {
  return {"--temp", "0", "-t", "1", "-n", std::to_string(n_predict)};
}

// What the screen shows after the last time that it was drawn anew.
std::string last_screen(const std::string& output, int rows, int cols) {
  ui::VtScreen screen(rows, cols);
  screen.feed("\x1b[?7l");
  const std::size_t at = output.rfind(kClear);
  if (at != std::string::npos) screen.feed(std::string_view(output).substr(at));
  return screen.to_text();
}

// The words of a text, without the breaks that lines and margins put between them.
std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

// What filled the terminal before.
std::string without_dots(std::string output) {
  const std::size_t dots = output.find("...."), end = output.find_first_not_of('.', dots);
  return dots == std::string::npos || end == std::string::npos ? output : output.substr(end);
}

TEST(StormTerminalTest, TwoThousandResizesWhileAnAnswerStreams) {
  const TempDir home;
  PtyProgram program(home, words(60), 1, 1);
  ASSERT_TRUE(program.wait_for("\x1b[?2026l")) << "one cell is enough: " << program.output();
  program.type("Write a short story about a fox.\r");
  std::mt19937 rng(20261122);
  for (int i = 0; i < 2000; ++i)
    program.resize(static_cast<int>(rng() % 60), static_cast<int>(rng() % 200));
  program.resize(1, 1);
  program.resize(0, 0);  // not known: the usual 24 by 80
  ASSERT_TRUE(program.wait_for("stopped")) << program.output();
  EXPECT_NE(last_screen(program.output(), 24, 80).find("Write a short story"), std::string::npos);
  program.resize(39, 100);
  program.resize(40, 100);
  program.type("end of storm");
  ASSERT_TRUE(program.wait_for("storm")) << program.output();
  EXPECT_EQ(ui::foreign_sequence(program.output()), std::nullopt);
  const std::string screen = last_screen(program.output(), 40, 100);
  program.type("\x03\x04");
  EXPECT_EQ(program.wait_for_exit(), 0);
  EXPECT_TRUE(program.terminal_is_cooked());

  // Nothing of the answer is lost, neither kept nor shown.
  const RunResult exported = run_program(home, {"export", "1"});
  const std::size_t answer = exported.out.rfind("\n\n", exported.out.size() - 3);
  ASSERT_NE(answer, std::string::npos) << exported.out;
  EXPECT_NE(without_blanks(screen).find(without_blanks(exported.out.substr(answer))),
            std::string::npos)
      << screen << exported.out;
}

// Whether all, only the frames, or frames and what gives the terminal back have room there.
TEST(StormTerminalTest, AReaderThatStopsHoldsUpNeitherKeysNorTheEnd) {
  for (const std::size_t room : {0U, 960U, 1200U, 4000U}) {
    const TempDir home;
    PtyProgram program(home, words(2000));
    ASSERT_TRUE(program.wait_for("often wrong")) << program.output();
    program.stop_reading(room);
    program.type("Write a long story about a heron.\r");
    program.type("\x03");  // stops the answer
    program.type("\x04");  // leaves
    EXPECT_EQ(program.wait_for_exit(), 0);
    EXPECT_TRUE(
        program.output().ends_with("\x1b[?1049l\x1b[23;0;0tconfab -C continues "
                                   "\"Write a long story about a heron.\"\r\n"))
        << room << testing::PrintToString(without_dots(program.output()));
    EXPECT_TRUE(program.terminal_is_cooked());
    EXPECT_NE(run_program(home, {"list"}).out.find("heron"), std::string::npos);
  }
}

}  // namespace
}  // namespace confab::app
