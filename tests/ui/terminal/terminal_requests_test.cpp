// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_requests.h"

#include <gtest/gtest.h>

#include "tests/ui/escape_scanner.h"

namespace confab::ui {
namespace {

TEST(TerminalRequestsTest, NotificationsAreInTheTerminalsOwnForm) {
  EXPECT_EQ(notification("kitty(0.32)", "confab", "done"), "\x1b]9;confab: done\x1b\\");
  EXPECT_EQ(notification("", "", "done"), "\x1b]9;done\x1b\\");
  EXPECT_EQ(notification("VTE(7203)", "confab", "done"), "\x1b]777;notify;confab;done\x1b\\");
}

TEST(TerminalRequestsTest, NotificationsCannotDriveTheTerminal) {
  for (const char* terminal : {"", "foot(1.16)"}) {
    const std::string out =
        notification(terminal, "a;b\x1b]52;c;AAAA\a", "c\nd\x9c\u009c" + std::string(900, 'x'));
    EXPECT_EQ(foreign_sequence(out), std::nullopt) << testing::PrintToString(out);
    EXPECT_LT(out.size(), 500u);
  }
}

TEST(TerminalRequestsTest, ClipboardIsBase64) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"\xff\xfe\xfd\xfb", "//79+w=="}};
  for (const auto& [text, encoded] : cases)
    EXPECT_EQ(clipboard(text, false), "\x1b]52;c;" + std::string(encoded) + "\x1b\\");
}

TEST(TerminalRequestsTest, ClipboardHasItsLimit) {
  EXPECT_TRUE(clipboard(std::string(kMaxClipboardBytes, 'x'), false));
  EXPECT_LE(clipboard(std::string(kMaxClipboardBytes, 'x'), false)->size(), 100'003u);
  EXPECT_FALSE(clipboard(std::string(kMaxClipboardBytes + 1, 'x'), false));
}

TEST(TerminalRequestsTest, GnuScreenHandsTheClipboardOnInPieces) {
  const std::string pieces = *clipboard(std::string(600, 'x'), true);
  std::string joined;
  for (std::size_t at = 0; at < pieces.size();) {
    ASSERT_EQ(pieces.substr(at, 2), "\x1bP");
    const std::size_t end = pieces.find("\x1b\\", at);
    ASSERT_NE(end, std::string::npos);
    EXPECT_LE(end - at, 256u);
    joined += pieces.substr(at + 2, end - at - 2);
    at = end + 2;
  }
  const std::string plain = *clipboard(std::string(600, 'x'), false);
  EXPECT_EQ(joined, plain.substr(0, plain.size() - 2) + "\a");
}

}  // namespace
}  // namespace confab::ui
