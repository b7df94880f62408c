// SPDX-License-Identifier: MIT
#include "app/commands/keys_help.h"

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

}  // namespace
}  // namespace confab::app
