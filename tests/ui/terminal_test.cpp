// SPDX-License-Identifier: MIT
#include "ui/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <cstdlib>
#include <string>

#include "tests/ui/pty.h"
#include "ui/error.h"
#include "ui/locale.h"
#include "ui/signals.h"

namespace confab::ui {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h";  // xterm's alternate screen
constexpr std::string_view kLeave = "\x1b[?1049l";

void use_xterm() {
  setenv("TERM", "xterm-256color", 1);
  unsetenv("NO_COLOR");
  use_utf8_locale();
}

Frame frame_of(const ScreenSize& size, std::string_view text) {
  Frame frame(size.rows, size.cols);
  frame.write({Rows{0}, Cols{0}}, text, {.role = Role::text});
  return frame;
}

// Sleeps until there are events.
std::vector<Event> wait_for_events(Terminal& terminal) {
  for (;;) {
    const auto timeout = terminal.input_timeout();
    pollfd wait{.fd = terminal.input_fd(), .events = POLLIN, .revents = 0};
    poll(&wait, 1, timeout ? static_cast<int>(timeout->count()) : -1);
    std::vector<Event> events = terminal.read_events();
    if (!events.empty()) return events;
  }
}

int show_until_key(std::string_view text) {
  use_xterm();
  Terminal terminal;
  terminal.draw(frame_of(terminal.size(), text));
  wait_for_events(terminal);
  return 0;
}

TEST(TerminalTest, ShowsAFrameAndGivesTheTerminalBack) {
  Pty pty([] { return show_until_key("hello 界é"); });
  ASSERT_TRUE(pty.sees("hello 界é"));
  ASSERT_TRUE(pty.sees("\x1b[?2026l"));
  EXPECT_FALSE(pty.modes_restored());
  pty.type("q");
  EXPECT_EQ(pty.wait(), 0);
  const std::string out = pty.take();
  EXPECT_LT(out.find(kEnter), out.find("\x1b[?2026h"));
  EXPECT_LT(out.find("\x1b[?2004h"), out.find("\x1b[?2004l"));
  EXPECT_NE(out.find(kLeave), std::string::npos);
  EXPECT_TRUE(pty.modes_restored());
}

TEST(TerminalTest, WritesOnlyWhatChanged) {
  Pty pty([] {
    use_xterm();
    Terminal terminal;
    const ScreenSize size = terminal.size();
    const std::string text(70, 'x');
    terminal.draw(frame_of(size, text + "1"));
    wait_for_events(terminal);
    terminal.draw(frame_of(size, text + "1"));
    terminal.draw(frame_of(size, text + "2"));
    wait_for_events(terminal);
    return 0;
  });
  ASSERT_TRUE(pty.sees("x1"));
  ASSERT_TRUE(pty.sees("\x1b[?2026l"));
  pty.take();
  pty.type("a");
  ASSERT_TRUE(pty.sees("\x1b[?2026l"));
  const std::string out = pty.take();
  EXPECT_NE(out.find('2'), std::string::npos);
  EXPECT_LT(out.size(), 60u) << out;
  pty.type("b");
  EXPECT_EQ(pty.wait(), 0);
}

TEST(TerminalTest, WholeGraphemesAreWritten) {
  Pty pty([] { return show_until_key("a👩‍👩‍👧b❤️c\u0007d"); });
  ASSERT_TRUE(pty.sees("d"));
  ASSERT_TRUE(pty.sees("\x1b[?2026l"));
  const std::string out = pty.take();
  EXPECT_NE(out.find("👩‍👩‍👧"), std::string::npos) << testing::PrintToString(out);
  EXPECT_NE(out.find("❤️"), std::string::npos) << testing::PrintToString(out);
  EXPECT_EQ(out.find('\x07'), std::string::npos);
  pty.type("q");
  EXPECT_EQ(pty.wait(), 0);
}

TEST(TerminalTest, ASlowReaderHoldsUpNeitherFramesNorKeys) {
  int drawn[2];
  ASSERT_EQ(pipe(drawn), 0);
  Pty pty([&drawn] {
    use_xterm();
    Terminal terminal;
    const ScreenSize size = terminal.size();
    const auto draw = [&](const std::string& text) {
      Frame frame(size.rows, size.cols);
      for (int row = 0; row < size.rows.value; ++row)
        frame.write({Rows{row}, Cols{0}}, text + std::to_string(row), {});
      terminal.draw(frame);
    };
    for (int i = 0; i < 2000; ++i) draw(std::string(static_cast<std::size_t>(i % 70), 'x'));
    const bool held = terminal.output_fd() >= 0;
    Pty::write_all(drawn[1], "!");  // nobody has read what is drawn until then
    const std::vector<Event> events = wait_for_events(terminal);
    draw("last ");
    while (terminal.output_fd() >= 0) {
      pollfd wait{.fd = terminal.output_fd(), .events = POLLOUT, .revents = 0};
      poll(&wait, 1, -1);
      terminal.continue_output();
    }
    const bool interrupted = std::get<Key>(events.at(0)).character == U'c';
    return held && interrupted ? 0 : 1;
  });
  char ready = 0;
  ASSERT_EQ(read(drawn[0], &ready, 1), 1);
  pty.type("\x03");
  ASSERT_TRUE(pty.sees("last"));
  EXPECT_EQ(pty.wait(), 0);
  EXPECT_LT(pty.take().size(), 40000u);
  EXPECT_TRUE(pty.modes_restored());
  for (const int fd : drawn) close(fd);
}

TEST(TerminalTest, ReadsKeysAndPastes) {
  Pty pty([] {
    use_xterm();
    Terminal terminal;
    std::string seen;
    while (seen.find('q') == std::string::npos) {
      for (const Event& event : wait_for_events(terminal)) {
        if (const auto* paste = std::get_if<Paste>(&event)) seen += "<" + paste->text + ">";
        if (const auto* key = std::get_if<Key>(&event))
          seen += key->code == Key::Code::escape ? "ESC" : key->bytes;
      }
      terminal.draw(frame_of(terminal.size(), seen));
    }
    return seen == "a<b\rc>ESCq" ? 0 : 1;
  });
  ASSERT_TRUE(pty.sees("\x1b[?2004h"));
  pty.type("a\x1b[200~b\rc\x1b[201~");
  pty.type("\x1b");
  ASSERT_TRUE(pty.sees("ESC"));
  pty.type("q");
  EXPECT_EQ(pty.wait(), 0);
}

TEST(TerminalTest, TakesInWhatTheTerminalSaysOfItself) {
  Pty pty([] {
    use_xterm();
    Terminal terminal;
    const bool known = terminal.background() == Background::light;
    const std::vector<Event> typed = wait_for_events(terminal);
    terminal.draw(frame_of(terminal.size(), "drawn"));
    const std::vector<Event> late = wait_for_events(terminal);
    const bool news = late == std::vector<Event>{BackgroundFound{Background::dark}};
    const bool key = typed.size() == 1 && std::get<Key>(typed[0]).bytes == "k";
    return known && news && key ? 0 : 1;
  });
  ASSERT_TRUE(pty.sees("\x1b[c"));
  pty.type("\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?0uk\x1b[?62;22c");
  ASSERT_TRUE(pty.sees("drawn"));
  ASSERT_TRUE(pty.sees("\x1b[?2026l"));
  const std::string before = pty.take();
  EXPECT_LT(before.find("\x1b[?1049h"), before.find("\x1b[>1u"));
  pty.type("\x1b]11;rgb:0/0/0\a");
  EXPECT_EQ(pty.wait(), 0);
  const std::string out = pty.take();
  EXPECT_LT(out.find("\x1b[<u"), out.find(kLeave));
  EXPECT_NE(out.find("\x1b[?1004l"), std::string::npos);
}

TEST(TerminalTest, AsksTheTerminalForThingsOutsideTheScreen) {
  Pty pty([] {
    use_xterm();
    setenv("TERM", "xterm-256color", 1);
    Terminal terminal;
    terminal.set_mouse(true);
    terminal.bell();
    terminal.notify("confab", "done");
    return terminal.copy("text") && !terminal.copy(std::string(100'000, 'x')) ? 0 : 1;
  });
  EXPECT_EQ(pty.wait(), 0);
  const std::string out = pty.take();
  for (const char* sequence : {"\x1b[?1000h\x1b[?1006h", "\a", "\x1b]9;confab: done\x1b\\",
                               "\x1b]52;c;dGV4dA==\x1b\\", "\x1b[?1006l\x1b[?1000l"})
    EXPECT_NE(out.find(sequence), std::string::npos) << testing::PrintToString(sequence);
}

TEST(TerminalTest, FollowsTheSizeOfTheTerminal) {
  Pty pty([] {
    use_xterm();
    Signals signals;
    Terminal terminal;
    for (int n_resizes = 0; n_resizes < 3; ++n_resizes) {
      const ScreenSize size = terminal.size();
      Frame frame(size.rows, size.cols);
      const std::string text =
          std::to_string(size.rows.value) + "x" + std::to_string(size.cols.value) + ".";
      frame.write({Rows{size.rows.value - 1}, Cols{0}}, text, {});
      terminal.draw(frame);
      pollfd wait{.fd = signals.fd(), .events = POLLIN, .revents = 0};
      poll(&wait, 1, -1);
      signals.take();
    }
    return 0;
  });
  ASSERT_TRUE(pty.sees("24x80."));
  ASSERT_TRUE(pty.sees("\x1b[?2026l"));
  pty.take();
  pty.resize(40, 120);
  ASSERT_TRUE(pty.sees("40x120."));
  ASSERT_TRUE(pty.sees("\x1b[?2026l"));
  pty.take();
  pty.resize(1, 1);
  ASSERT_TRUE(pty.sees("\x1b[?2026l"));
  pty.resize(0, 0);
  EXPECT_EQ(pty.wait(), 0);
  EXPECT_TRUE(pty.modes_restored());
}

TEST(TerminalTest, ASignalEndsThePollLoopAndTheTerminalIsBack) {
  for (const int signal : {SIGTERM, SIGHUP}) {
    Pty pty([signal] {
      use_xterm();
      Signals signals;
      Terminal terminal;
      terminal.draw(frame_of(terminal.size(), "ready"));
      pollfd wait{.fd = signals.fd(), .events = POLLIN, .revents = 0};
      while (poll(&wait, 1, -1) < 1) {
      }
      return signals.take() == std::vector{signal} ? 0 : 1;
    });
    ASSERT_TRUE(pty.sees("ready"));
    kill(pty.child(), signal);
    EXPECT_EQ(pty.wait(), 0);
    EXPECT_NE(pty.take().find(kLeave), std::string::npos);
    EXPECT_TRUE(pty.modes_restored());
  }
}

TEST(TerminalTest, ACrashTurnsOffAllThatWasTurnedOn) {
  for (const int signal : {SIGSEGV, SIGABRT}) {
    Pty pty([signal] {
      use_xterm();
      Terminal terminal;
      terminal.set_mouse(true);
      wait_for_events(terminal);
      raise(signal);
      return 0;
    });
    ASSERT_TRUE(pty.sees("\x1b[c"));
    pty.type("\x1b[?0u\x1b[?62c");
    ASSERT_TRUE(pty.sees("\x1b[>1u"));
    pty.type("k");
    pty.wait();
    const std::string out = pty.take();
    const std::size_t crash = out.find("\x1b[<u");
    ASSERT_NE(crash, std::string::npos) << testing::PrintToString(out);
    for (const char* mode : {"\x1b[?1000l", "\x1b[?1004l", "\x1b[?2004l", "\x1b[?7h", "\x1b[?25h"})
      EXPECT_NE(out.find(mode, crash), std::string::npos) << testing::PrintToString(mode);
    EXPECT_NE(out.find(kLeave, crash), std::string::npos);
    EXPECT_TRUE(pty.modes_restored());
  }
}

TEST(TerminalTest, ATerminalThatIsGoneIsSaidOnce) {
  Pty pty([] {
    use_xterm();
    signal(SIGHUP, SIG_IGN);
    Terminal terminal;
    terminal.draw(frame_of(terminal.size(), "ready"));
    const std::vector<Event> events = wait_for_events(terminal);
    const bool once = terminal.read_events().empty();
    return events == std::vector<Event>{HangUp{}} && once ? 0 : 1;
  });
  ASSERT_TRUE(pty.sees("ready"));
  pty.hang_up();
  EXPECT_EQ(pty.wait(), 0);
}

TEST(TerminalTest, SuspendGivesTheTerminalBackUntilResume) {
  Pty pty([] {
    use_xterm();
    Terminal terminal;
    terminal.draw(frame_of(terminal.size(), "one"));
    wait_for_events(terminal);
    terminal.suspend();
    terminal.draw(frame_of(terminal.size(), "unseen"));
    Pty::write_all(STDOUT_FILENO, "cooked");
    char line[8];
    const ssize_t n = read(STDIN_FILENO, line, sizeof line);
    terminal.resume();
    terminal.draw(frame_of(terminal.size(), "two"));
    wait_for_events(terminal);
    return n == 5 ? 0 : 1;
  });
  ASSERT_TRUE(pty.sees("one"));
  pty.type("a");
  ASSERT_TRUE(pty.sees("cooked"));
  EXPECT_TRUE(pty.modes_restored());
  const std::string out = pty.take();
  EXPECT_NE(out.find(kLeave), std::string::npos);
  EXPECT_EQ(out.find("unseen"), std::string::npos);
  pty.type("line\n");
  ASSERT_TRUE(pty.sees(kEnter));
  ASSERT_TRUE(pty.sees("two"));
  EXPECT_FALSE(pty.modes_restored());
  pty.type("b");
  EXPECT_EQ(pty.wait(), 0);
  EXPECT_TRUE(pty.modes_restored());
}

TEST(TerminalTest, ATerminalThatCannotDoItIsAnErrorAndUntouched) {
  const std::pair<const char*, std::string_view> cases[] = {
      {"dumb", "TERM=dumb: this terminal cannot place its cursor"},
      {"no-such-terminal", "TERM=no-such-terminal: unknown terminal"},
      {"", "TERM is not set"},
  };
  for (const auto& [term, message] : cases) {
    Pty pty([term = term] {
      setenv("TERM", term, 1);
      Terminal terminal;
      return 0;
    });
    const int status = pty.wait();
    EXPECT_EQ(WEXITSTATUS(status), Pty::kUncaught);
    EXPECT_EQ(pty.take(), message);
    EXPECT_TRUE(pty.modes_restored());
  }
}

TEST(TerminalTest, WithoutATerminalThereIsNone) {
  Pty pty([] {
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    ioctl(STDOUT_FILENO, TIOCNOTTY);
    try {
      Terminal terminal;
    } catch (const TerminalError&) {
      return 0;
    }
    return 1;
  });
  // Giving up the terminal sends SIGHUP to its session's leader, which this child is.
  const int status = pty.wait();
  EXPECT_TRUE((WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
              (WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP));
}

}  // namespace
}  // namespace confab::ui
