// SPDX-License-Identifier: MIT
// What the terminal is asked to do with keys and the wheel while it is ours, and that it is asked
// to do otherwise whenever it is given away.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/ui/terminal/pty.h"
#include "tests/ui/terminal/terminal_talk.h"
#include "ui/locale.h"
#include "ui/terminal/terminal.h"

namespace confab::ui {
namespace {

// Gives the terminal away and takes it again at every key; ends with Shift+Enter.
int end_with_shift_enter() {
  setenv("TERM", "xterm-256color", 1);
  use_utf8_locale();
  Terminal terminal;
  for (bool done = false; !done;)
    for (const Event& event : wait_for_events(terminal)) {
      const Key* key = std::get_if<Key>(&event);
      done = key != nullptr && key->code == Key::Code::enter && key->shift;
      if (key == nullptr || done) continue;
      terminal.suspend();
      Pty::write_all(STDOUT_FILENO, "away");
      terminal.resume();
    }
  return 0;
}

TEST(ModesOfTerminalTest, KeysWithModifiersAreAskedForWhereKittysProtocolIsNotKnown) {
  Pty pty(end_with_shift_enter);
  ASSERT_TRUE(pty.sees("\x1b[c"));
  pty.type("\x1b[?62;22c");
  ASSERT_TRUE(pty.sees("\x1b[>4;2m"));
  pty.type("k");
  ASSERT_TRUE(pty.sees("away"));
  pty.type("\x1b[27;2;13~");
  EXPECT_EQ(pty.wait(), 0);
  const std::string out = pty.take();
  EXPECT_EQ(n_times(out, "\x1b[>4;2m"), 2u);
  EXPECT_EQ(n_times(out, "\x1b[>4m"), 2u);
  EXPECT_LT(out.find("\x1b[>4m"), out.find("away"));
  EXPECT_GT(out.rfind("\x1b[>4m"), out.rfind("\x1b[>4;2m"));
  EXPECT_EQ(out.find("\x1b[>5u"), std::string::npos);
}

TEST(ModesOfTerminalTest, TheWheelSendsNoArrowsWhileTheScreenIsOurs) {
  Pty pty(end_with_shift_enter);
  ASSERT_TRUE(pty.sees("\x1b[c"));
  pty.type("\x1b[?0u\x1b[?62;22ck");
  ASSERT_TRUE(pty.sees("away"));
  pty.type("\x1b[13;2u");
  EXPECT_EQ(pty.wait(), 0);
  const std::string out = pty.take();
  EXPECT_EQ(n_times(out, "\x1b[?1007s\x1b[?1007l"), 2u);
  EXPECT_EQ(n_times(out, "\x1b[?1007h\x1b[?1007r"), 2u);
  EXPECT_LT(out.find("\x1b[?1007r"), out.find("away"));
  EXPECT_EQ(out.find("\x1b[>4"), std::string::npos) << "one way of keys is enough";
}

}  // namespace
}  // namespace confab::ui
