// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_device.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/ui/terminal/pty.h"
#include "ui/error.h"

namespace confab::ui {
namespace {

constexpr ScreenSize kUsual{Rows{24}, Cols{80}};

int read_a_raw_key() {
  const TerminalDevice device;
  device.use_raw_modes();
  std::string early, typed;
  const bool waits_for_nothing = read_available(device.in(), early, 100) && early.empty();
  Pty::write_all(device.out(), "raw\n");
  pollfd wait{.fd = device.in(), .events = POLLIN, .revents = 0};
  poll(&wait, 1, -1);
  return Pty::all_so(
      {{"nothing is read when nothing is typed", waits_for_nothing},
       {"the size of a terminal that does not know it", screen_size(1) == kUsual},
       {"in the foreground", device.in_foreground()},
       {"a key is read", read_available(device.in(), typed, 100) && typed == "\x03"}});
}

TEST(TerminalDeviceTerminalTest, IsReadRawAlsoWhenInputIsAnother) {
  for (const bool input_is_another : {false, true}) {
    SCOPED_TRACE(input_is_another ? "the controlling terminal" : "stdin and stdout");
    Pty pty(
        [&] {
          if (input_is_another) dup2(open("/dev/null", O_RDWR), STDIN_FILENO);
          return read_a_raw_key();
        },
        0, 0);
    ASSERT_TRUE(pty.sees("raw\n"));
    pty.type("\x03");
    EXPECT_EQ(pty.wait(), 0);
    EXPECT_EQ(pty.take(), "raw\n") << "output is not processed, keys are not echoed";
  }
}

// Ends with 0 when there was none.
[[noreturn]] void look_for_a_terminal_without_one() {
  setsid();
  const int nothing = open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) dup2(nothing, fd);
  try {
    const TerminalDevice device;
  } catch (const TerminalError& error) {
    Pty::write_all(STDERR_FILENO, error.what());
    std::_Exit(0);
  }
  std::_Exit(1);
}

TEST(TerminalDeviceTest, WithoutATerminalThereIsNone) {
  EXPECT_EXIT(look_for_a_terminal_without_one(), testing::ExitedWithCode(0),
              "stdin or stdout is not a terminal, and /dev/tty: ");
}

TEST(TerminalDeviceTest, WhatIsNoTerminalHasTheUsualSize) {
  EXPECT_EQ(screen_size(-1), kUsual);
}

}  // namespace
}  // namespace confab::ui
