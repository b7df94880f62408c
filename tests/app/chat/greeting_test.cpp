// SPDX-License-Identifier: MIT
#include "app/chat/welcome.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace confab::app {
namespace {

TEST(GreetingTest, HasSignsThatEveryTerminalHas) {
  EXPECT_EQ(in_ascii("a · b ── c"), "a - b -- c");
  engine::ModelInfo model;
  model.name = "qwen";
  const auto lines = greeting(model, false, Keeping::incognito);
  ASSERT_GE(lines.size(), 3U);
  EXPECT_EQ(lines.front(), "confab - qwen");
  EXPECT_NE(lines.back().find("Ctrl+D leaves"), std::string::npos);
  for (const std::string& line : lines)
    EXPECT_TRUE(std::ranges::all_of(line, [](unsigned char c) { return c < 0x80; })) << line;
}

}  // namespace
}  // namespace confab::app
