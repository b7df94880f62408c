// SPDX-License-Identifier: MIT
#include "ui/terminal_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "tests/ui/pty.h"

namespace confab::ui {
namespace {

// What a terminal takes before somebody reads it is far less.
const std::string kMuch(1 << 20, 'x');

TEST(TerminalOutputTest, DoesNotWaitForASlowReader) {
  Pty pty([] {
    TerminalOutput output(STDOUT_FILENO);
    output.send(kMuch + "end");
    const bool waits = output.pending();
    Pty::write_all(STDERR_FILENO, "");
    char go = 0;
    if (read(STDIN_FILENO, &go, 1) != 1) return 2;  // nobody has read until then
    const bool drained = output.drain(std::chrono::seconds(20));
    return waits && drained && !output.pending() ? 0 : 1;
  });
  pty.type("\n");
  ASSERT_TRUE(pty.sees("xend"));
  EXPECT_EQ(pty.wait(), 0);
}

TEST(TerminalOutputTest, WhatIsNeverReadIsDroppedInTheEnd) {
  Pty pty([] {
    TerminalOutput output(STDOUT_FILENO);
    output.send(kMuch);
    const bool drained = output.drain(std::chrono::milliseconds(1));
    if (drained || output.pending()) return 1;
    output.send("done");
    return 0;
  });
  ASSERT_TRUE(pty.sees("done"));
  EXPECT_EQ(pty.wait(), 0);
}

TEST(TerminalOutputTest, TheDescriptorThatOthersShareStillWaits) {
  Pty pty([] {
    const TerminalOutput output(STDOUT_FILENO);
    const bool own = output.fd() != STDOUT_FILENO;
    return own && (fcntl(STDOUT_FILENO, F_GETFL) & O_NONBLOCK) == 0 ? 0 : 1;
  });
  EXPECT_EQ(pty.wait(), 0);
}

TEST(TerminalOutputTest, ATerminalThatIsGoneTakesNothing) {
  Pty pty([] {
    signal(SIGHUP, SIG_IGN);
    TerminalOutput output(STDOUT_FILENO);
    char go = 0;
    while (read(STDIN_FILENO, &go, 1) > 0) {
    }
    output.send("unseen");
    return output.pending() ? 1 : 0;
  });
  pty.hang_up();
  EXPECT_EQ(pty.wait(), 0);
}

}  // namespace
}  // namespace confab::ui
