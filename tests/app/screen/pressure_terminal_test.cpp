// SPDX-License-Identifier: MIT
// The whole ladder of memory pressure, event by event, in the built program on a terminal.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>

#include "tests/app/program.h"
#include "tests/resident.h"
#include "tests/ui/escape_scanner.h"

namespace confab::app {
namespace {

using testing::HasSubstr;

class PressureTerminalTest : public testing::Test {
 protected:
  // In one step, as who reads it sees all or nothing.
  void feel(const std::string& pressure) const {
    home.file("pressure.new", pressure + '\n');
    std::filesystem::rename(home / "pressure.new", home / "pressure");
  }
  // Returns when the answer has begun.
  static void ask(PtyProgram& program, const std::string& question) {
    program.type(question + '\r');
    ASSERT_TRUE(program.wait_for("tok/s")) << program.output();
  }
  std::string log() const { return read_file(home / ".local/state/confab/log"); }
  // What the program does next; what the screen shows of it may have been there before. The test
  // fails after a minute.
  void expect_next(const std::string& words) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::ranges::count(log(), '\n') <= n_logged && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::istringstream told(log());
    std::string line;
    for (int i = 0; i <= n_logged; ++i) std::getline(told, line);
    EXPECT_THAT(line, HasSubstr(words)) << log();
    ++n_logged;
  }

  TempDir home;
  int n_logged = 0;  // lines that were looked at
};

TEST_F(PressureTerminalTest, TheWholeLadderDownAndUp) {
  feel("none");
  PtyProgram program(home, {"--temp", "0", "-t", "2", "-n", "30", "--device", "cpu"}, 24, 120,
                     {fmt::format("CONFAB_PRESSURE={}", (home / "pressure").string())});
  ASSERT_TRUE(program.wait_for("? keys")) << program.output();
  ask(program, "What is the colour of grass?");

  feel("some");
  ASSERT_TRUE(program.wait_for("low memory: drafts off")) << program.output();
  expect_next("memory is short");
  ask(program, "And of the sky?");
  feel("full");
  ASSERT_TRUE(program.wait_for("low memory: model unloaded")) << program.output();
  expect_next("the model is unloaded until the next question");
#ifdef __linux__
  // It is told, then done.
  const auto resident = [&] {
    return resident_kib("confab-demo.gguf", std::to_string(program.pid()));
  };
  for (int i = 0; i < 600 && resident() >= 100; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LT(resident(), 100);
#endif
  ask(program, "Which of them is green?");
  expect_next("the model may come back");
  expect_next("the model is unloaded until the next question");

  feel("none");
  expect_next("the model may come back");
  ASSERT_TRUE(program.wait_for(" ctx")) << program.output();
  program.type("/context\r");
  ASSERT_TRUE(program.wait_for("Which of them is green?")) << "no question was lost";
  program.type("\x03");
  ASSERT_TRUE(program.wait_for("? keys")) << program.output();
  expect_next("memory is free again");
  EXPECT_EQ(std::ranges::count(log(), '\n'), n_logged) << log();
  program.type("\x04");
  EXPECT_EQ(program.wait_for_exit(), 0);
  EXPECT_EQ(ui::foreign_sequence(program.output()), std::nullopt);
}

}  // namespace
}  // namespace confab::app
