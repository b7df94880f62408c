// SPDX-License-Identifier: MIT
// The whole ladder of memory pressure, event by event, in the built program on a terminal.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "tests/app/program.h"
#include "tests/ui/escape_scanner.h"

namespace confab::app {
namespace {

using testing::HasSubstr;

// Bytes that the process has of the bundled model's file; 0: nothing, though it may be mapped.
int resident_kib_of_model(int pid) {
  std::ifstream in(fmt::format("/proc/{}/smaps", pid));
  bool of_file = false;
  int sum = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.find(':') > line.find('-')) of_file = line.ends_with("confab-demo.gguf");
    if (of_file && line.starts_with("Rss:")) sum += std::stoi(line.substr(4));
  }
  return sum;
}

class PressureTerminalTest : public testing::Test {
 protected:
  // In one step, as who reads it sees all or nothing.
  void feel(const std::string& pressure) const {
    home.file("pressure.new", pressure + '\n');
    std::filesystem::rename(home / "pressure.new", home / "pressure");
  }
  // Nothing is left of an answer that was asked for.
  static void ask(PtyProgram& program, const std::string& question) {
    program.type(question + '\r');
    ASSERT_TRUE(program.wait_for("tok/s")) << program.output();
  }
  std::string log() const { return read_file(home / ".local/state/confab/log"); }

  TempDir home;
};

TEST_F(PressureTerminalTest, TheWholeLadderDownAndUp) {
  feel("none");
  PtyProgram program(home, {"--temp", "0", "-t", "2", "-n", "30"}, 24, 120,
                     {fmt::format("CONFAB_PRESSURE={}", (home / "pressure").string())});
  ASSERT_TRUE(program.wait_for("? keys")) << program.output();
  ask(program, "What is the colour of grass?");

  feel("some");
  ASSERT_TRUE(program.wait_for("memory is short: drafts off")) << program.output();
  ask(program, "And of the sky?");
  feel("full");
  ASSERT_TRUE(program.wait_for("memory is short: model unloaded")) << program.output();
#ifdef __linux__
  EXPECT_LT(resident_kib_of_model(program.pid()), 100);
#endif
  ask(program, "Which of them is green?");  // it comes back, answers, and goes again
  ASSERT_TRUE(program.wait_for("memory is short: model unloaded")) << program.output();

  feel("none");
  ASSERT_TRUE(program.wait_for("memory is short: drafts off")) << program.output();
  ASSERT_TRUE(program.wait_for(" ctx")) << program.output();
  program.type("/context\r");
  ASSERT_TRUE(program.wait_for("Which of them is green?")) << "no question was lost";
  program.type("\x03");
  ASSERT_TRUE(program.wait_for("? keys")) << program.output();
  const std::string told = log();
  EXPECT_EQ(std::ranges::count(told, '\n'), 5) << told;
  EXPECT_THAT(told, HasSubstr("the model is unloaded until the next question"));
  program.type("\x04");
  EXPECT_EQ(program.wait_for_exit(), 0);
  EXPECT_EQ(ui::foreign_sequence(program.output()), std::nullopt);
}

}  // namespace
}  // namespace confab::app
