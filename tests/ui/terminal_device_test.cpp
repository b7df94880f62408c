// SPDX-License-Identifier: MIT
#include "ui/terminal_device.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "tests/ui/pty.h"
#include "ui/error.h"

namespace confab::ui {
namespace {

TEST(TerminalDeviceTest, ReadsRawKeysWithoutWaiting) {
  Pty pty([] {
    const TerminalDevice device;
    device.use_raw_modes();
    std::string bytes;
    if (!device.read_available(bytes, 100) || !bytes.empty()) return 1;
    Pty::write_all(device.out(), "raw\n");
    pollfd wait{.fd = device.in(), .events = POLLIN, .revents = 0};
    poll(&wait, 1, -1);
    return device.read_available(bytes, 100) && bytes == "\x03" && device.in_foreground() ? 0 : 2;
  });
  ASSERT_TRUE(pty.sees("raw\n"));
  pty.type("\x03");
  EXPECT_EQ(pty.wait(), 0);
  EXPECT_EQ(pty.take().find("raw\r\n"), std::string::npos) << "output was processed";
}

TEST(TerminalDeviceTest, UsesTheControllingTerminalWhenInputIsAnother) {
  Pty pty([] {
    dup2(open("/dev/null", O_RDWR), STDIN_FILENO);
    const TerminalDevice device;
    Pty::write_all(device.out(), "seen");
    return 0;
  });
  ASSERT_TRUE(pty.sees("seen"));
  EXPECT_EQ(pty.wait(), 0);
}

TEST(TerminalDeviceTest, SizesThatAreNotKnownAreTheUsual) {
  Pty pty(
      [] {
        return screen_size(STDOUT_FILENO) == ScreenSize{Rows{24}, Cols{80}} ? 0 : 1;
      },
      0, 0);
  EXPECT_EQ(pty.wait(), 0);
  EXPECT_EQ(screen_size(-1), (ScreenSize{Rows{24}, Cols{80}}));
}

}  // namespace
}  // namespace confab::ui
