// SPDX-License-Identifier: MIT
#include "app/screen/status_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace confab::app {
namespace {

using ::testing::ElementsAre;

TEST(KeyLineTest, FollowsTheState) {
  EXPECT_THAT(key_line({}),
              ElementsAre("Enter send", "/ commands", "@ files", "Tab messages", "? keys"));
  EXPECT_THAT(key_line({.generating = true}), ElementsAre("Esc stop", "type to queue"));
  EXPECT_THAT(key_line({.generating = true, .written = true}),
              ElementsAre("Enter queue", "Esc stop"));
  EXPECT_EQ(key_line({.generating = true, .waiting = true})[1], "↑ edit the queue");
  EXPECT_THAT(key_line({.generating = true, .several = true}),
              ElementsAre("Esc stop all", "←→ other answer", "Del stop this one", "type to queue"));
  EXPECT_EQ(key_line({.written = true})[0], "Enter send");
  EXPECT_EQ(key_line({.editing = true})[1], "Ctrl+C cancel");
  EXPECT_EQ(key_line({.choosing = true})[0], "Enter choose");
  EXPECT_EQ(key_line({.focused = true, .generating = true})[0], "Esc back");
}

}  // namespace
}  // namespace confab::app
