// SPDX-License-Identifier: MIT
#include "app/cli/manual.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/cli.h"
#include "app/commands/commands.h"
#include "app/commands/focus_keys.h"
#include "app/option_table.h"
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

std::string config_page() {
  return std::get<PrintAndExit>(parse_command_line({"--man", "config"}, {})).text;
}

TEST(ManualTest, TheConfigurationHasAPageWithEveryKey) {
  EXPECT_THAT(config_page(), testing::StartsWith(".TH CONFAB\\-CONFIG 5"));
  for (const Option& option : option_table())
    EXPECT_THAT(config_page(), HasSubstr("\\fB" + roff_text(option.key) + "\\fR\n"));
  EXPECT_THAT(config_page(),
              HasSubstr(roff_text("Number of threads: a whole number from 1 to 1024; default: all "
                                  "cores. -t,--threads, CONFAB_THREADS\n")));
}

// Each line is a request that man(7) knows, or text.
TEST(ManualTest, IsWellFormed) {
  EXPECT_THAT(page(), testing::StartsWith(".TH CONFAB 1"));
  std::istringstream lines(page() + config_page());
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with(".") && !line.starts_with("'")) continue;
    const std::string request = line.substr(0, line.find(' '));
    EXPECT_THAT(request,
                testing::AnyOf(".TH", ".SH", ".TP", ".PP", ".B", ".BR", ".br", ".EX", ".EE"))
        << line;
  }
}

}  // namespace
}  // namespace confab::app
