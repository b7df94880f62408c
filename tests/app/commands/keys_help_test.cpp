// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/commands/focus_keys.h"
#include "ui/input/keymap.h"

namespace confab::app {
namespace {

TEST(KeysHelpTest, HasEveryKeyOfTheTables) {
  const std::string text = keys_help();
  for (const ui::KeyBinding& binding : ui::key_bindings())
    EXPECT_THAT(text, testing::HasSubstr(std::string(binding.help)));
  for (const FocusKey& binding : focus_keys())
    EXPECT_THAT(text, testing::HasSubstr(std::string(binding.help)));
}

TEST(KeysHelpTest, LinesHaveOnlyTheKeysThatWorkThere) {
  const std::string text = line_keys_help();
  for (const char* key : {"Enter", "Tab", "Ctrl+R", "Ctrl+D", "Ctrl+C"})
    EXPECT_THAT(text, testing::HasSubstr(key));
  for (const char* key : {"PgUp", "Ctrl+J", "Ctrl+G", "Esc", "redraw", "selected"})
    EXPECT_THAT(text, testing::Not(testing::HasSubstr(key)));
}

}  // namespace
}  // namespace confab::app
