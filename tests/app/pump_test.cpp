// SPDX-License-Identifier: MIT
#include "app/pump.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

namespace confab::app {
namespace {

TEST(PumpTest, ReturnsWhenADescriptorIsReadable) {
  std::array<int, 2> quiet{}, ready{};
  ASSERT_EQ(pipe(quiet.data()), 0);
  ASSERT_EQ(pipe(ready.data()), 0);
  ASSERT_EQ(write(ready[1], "x", 1), 1);
  wait_readable({quiet[0], -1, ready[0]});  // would block for ever on the quiet one alone
  char byte = 0;
  EXPECT_EQ(read(ready[0], &byte, 1), 1);
  for (const int fd : {quiet[0], quiet[1], ready[0], ready[1]}) close(fd);
}

TEST(PumpTest, ReturnsWhenADescriptorCanBeWrittenTo) {
  std::array<int, 2> quiet{};
  ASSERT_EQ(pipe(quiet.data()), 0);
  wait_readable({quiet[0]}, {}, quiet[1]);  // would block for ever on the readable one alone
  for (const int fd : quiet) close(fd);
}

TEST(PumpTest, ReturnsWhenTheTimeIsUp) {
  std::array<int, 2> quiet{};
  ASSERT_EQ(pipe(quiet.data()), 0);
  const auto start = std::chrono::steady_clock::now();
  wait_readable({quiet[0]}, std::chrono::milliseconds(20));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(19));
  wait_readable({quiet[0]}, std::chrono::milliseconds(-5));  // due already
  for (const int fd : quiet) close(fd);
}

}  // namespace
}  // namespace confab::app
