// SPDX-License-Identifier: MIT
// A conversation that outgrows its context, in the built program on a terminal of 80 columns and 24
// rows, and when it is opened again.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/app/program.h"
#include "tests/ui/escape_scanner.h"
#include "tests/ui/vt_screen.h"

namespace confab::app {
namespace {

using testing::HasSubstr;

constexpr std::string_view kClear = "\x1b[m\x1b[H\x1b[J";

// What the screen shows after the last time that it was drawn anew.
std::string last_screen(const std::string& output) {
  ui::VtScreen screen(24, 80);
  screen.feed("\x1b[?7l");
  const std::size_t at = output.rfind(kClear);
  if (at != std::string::npos) screen.feed(std::string_view(output).substr(at));
  return screen.to_text();
}

std::string redrawn(PtyProgram& program, const std::string& last_words) {
  program.type("\x0c");
  EXPECT_TRUE(program.wait_for(std::string(kClear)));
  EXPECT_TRUE(program.wait_for(last_words)) << program.output();
  return last_screen(program.output());
}

TEST(ContextTerminalTest, TheLineWhereMemoryBeginsIsShownAndComesBack) {
  const TempDir home;
  const std::vector<std::string> words{"--temp", "0", "-t", "1", "-n", "12", "-c", "320"};
  {
    PtyProgram program(home, words);
    ASSERT_TRUE(program.wait_for("? keys")) << program.output();
    for (int i = 1; i <= 9; ++i) {
      program.type(fmt::format("Question {}: what is the colour of grass?\r", i));
      ASSERT_TRUE(program.wait_for("? keys")) << i << ": " << program.output();
    }
    program.type("/context\r");
    ASSERT_TRUE(program.wait_for("Ctrl+T")) << program.output();
    const std::string list = redrawn(program, "Ctrl+T");
    EXPECT_THAT(list, HasSubstr("/320 ›"));
    EXPECT_THAT(list, HasSubstr("left out"));
    EXPECT_THAT(list, HasSubstr("  1 Question 1: what is"));
    program.type("\x03");  // leaves the list; Escape would be the beginning of what follows
    ASSERT_TRUE(program.wait_for("? keys")) << program.output();
    program.type("/overflow\r");
    ASSERT_TRUE(program.wait_for("shift:")) << program.output();
    program.type("\x04");
    EXPECT_EQ(program.wait_for_exit(), 0);
    EXPECT_EQ(ui::foreign_sequence(program.output()), std::nullopt);
  }
  std::vector<std::string> again = words;
  again.emplace_back("--continue");
  const RunResult told = run_program(home, again, "/context\n");
  EXPECT_THAT(told.err, HasSubstr("-- the model's memory begins here ("));
  EXPECT_THAT(told.err, HasSubstr("left out  Question 1: what"));
}

}  // namespace
}  // namespace confab::app
