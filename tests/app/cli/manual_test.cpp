// SPDX-License-Identifier: MIT
#include "app/cli/manual.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/cli.h"
#include "app/commands/commands.h"
#include "app/commands/focus_keys.h"
#include "ui/input/keymap.h"

namespace confab::app {
namespace {

using testing::HasSubstr;

std::string page() {
  return std::get<PrintAndExit>(parse_command_line({"--man"}, {})).text;
}

TEST(ManualTest, TextIsSetAsItIs) {
  EXPECT_EQ(roff_text("a \\ b"), "a \\e b");
  EXPECT_EQ(roff_text(".TH x\n'y"), "\\&.TH x\n\\&'y");
  EXPECT_EQ(roff_text("--man"), "\\-\\-man");
}

TEST(ManualTest, HasAllOptionsCommandsAndKeys) {
  const std::string text = page();
  for (const char* option : {"--continue", "--resume", "--theme", "--mouse", "--temp", "--plain"})
    EXPECT_THAT(text, HasSubstr(roff_text(option)));
  EXPECT_THAT(text, HasSubstr("\\fB\\-t,\\-\\-threads N\\fR\n"));
  for (const Command& command : commands()) {
    EXPECT_THAT(text, HasSubstr(roff_text(command.name)));
    EXPECT_THAT(text, HasSubstr(roff_text(command.help)));
  }
  for (const ui::KeyBinding& binding : ui::key_bindings())
    EXPECT_THAT(text, HasSubstr(roff_text(binding.help)));
  for (const FocusKey& binding : focus_keys())
    EXPECT_THAT(text, HasSubstr(roff_text(binding.help)));
}

// Each line is a request that man(7) knows, or text.
TEST(ManualTest, IsWellFormed) {
  std::istringstream lines(page());
  std::string line;
  std::getline(lines, line);
  EXPECT_THAT(line, testing::StartsWith(".TH CONFAB 1"));
  while (std::getline(lines, line)) {
    if (!line.starts_with(".") && !line.starts_with("'")) continue;
    const std::string request = line.substr(0, line.find(' '));
    EXPECT_THAT(request, testing::AnyOf(".SH", ".TP", ".PP", ".B", ".br")) << line;
  }
}

}  // namespace
}  // namespace confab::app
