// SPDX-License-Identifier: MIT
#include "ui/plain_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/ui/pty.h"
#include "ui/locale.h"

namespace confab::ui {
namespace {

std::string said(const PlainLine& line) {
  switch (line.kind) {
    case PlainLine::Kind::line:
      return "[" + line.text + "]\n";
    case PlainLine::Kind::end:
      return "[end]\n";
    case PlainLine::Kind::interrupted:
      return "[signal " + std::to_string(line.signal) + "]\n";
  }
  return {};
}

// Says what it reads, until the end, with a number in each prompt to wait for.
int read_to_the_end() {
  setenv("TERM", "xterm-256color", 1);
  setenv("INPUTRC", "/dev/null", 1);
  use_utf8_locale();
  Signals signals;
  PlainReader reader(signals);
  reader.add_history("from before");
  for (int i = 1;; ++i) {
    const PlainLine line = reader.read(std::to_string(i) + "> ");
    Pty::write_all(STDOUT_FILENO, said(line));
    if (line.kind == PlainLine::Kind::end) return reader.interactive() ? 0 : 1;
  }
}

TEST(PlainReaderTest, EditsLinesOnATerminal) {
  Pty pty(read_to_the_end);
  ASSERT_TRUE(pty.sees("1> "));
  pty.type("helo界\x02\x02l\r");
  ASSERT_TRUE(pty.sees("[hello界]"));
  ASSERT_TRUE(pty.sees("2> "));
  pty.type("\x1b[A\r");
  ASSERT_TRUE(pty.sees("[from before]"));
  ASSERT_TRUE(pty.sees("3> "));
  pty.type("\r");
  ASSERT_TRUE(pty.sees("[]"));
  ASSERT_TRUE(pty.sees("4> "));
  pty.type("\x04");
  EXPECT_EQ(pty.wait(), 0);
  EXPECT_NE(pty.take().find("[end]"), std::string::npos);
  EXPECT_TRUE(pty.modes_restored());
}

TEST(PlainReaderTest, CtrlCDropsTheLineAndTheNextOneIsRead) {
  Pty pty(read_to_the_end);
  ASSERT_TRUE(pty.sees("1> "));
  pty.type("dropped");
  ASSERT_TRUE(pty.sees("dropped"));
  pty.type("\x03");
  ASSERT_TRUE(pty.sees("[signal " + std::to_string(SIGINT) + "]"));
  ASSERT_TRUE(pty.sees("2> "));
  EXPECT_NE(pty.take().find("dropped\r\n"), std::string::npos) << "the line is left";
  pty.type("kept\r");
  ASSERT_TRUE(pty.sees("[kept]"));
  ASSERT_TRUE(pty.sees("3> "));
  pty.type("\x04");
  EXPECT_EQ(pty.wait(), 0);
}

TEST(PlainReaderTest, ALineTypedBeforeThePromptIsALine) {
  Pty pty([] {
    Pty::write_all(STDOUT_FILENO, "ready");
    pollfd typed{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    poll(&typed, 1, -1);
    return read_to_the_end();
  });
  ASSERT_TRUE(pty.sees("ready"));
  pty.type("early\r");
  ASSERT_TRUE(pty.sees("[early]"));
  ASSERT_TRUE(pty.sees("2> "));
  pty.type("\x04");
  EXPECT_EQ(pty.wait(), 0);
}

// Works until four lines have come, says so of each, and reads them then.
int read_after_work() {
  setenv("TERM", "xterm", 1);
  setenv("INPUTRC", "/dev/null", 1);
  use_utf8_locale();
  Signals signals;
  PlainReader reader(signals);
  Pty::write_all(STDOUT_FILENO, "busy");
  for (int n_lines = 0; n_lines < 4;) {
    std::array<pollfd, 2> waits = {{{reader.typing_fd(), POLLIN, 0}, {signals.fd(), POLLIN, 0}}};
    poll(waits.data(), waits.size(), -1);
    signals.take();  // Ctrl+C ends the work, not the lines
    if (waits[0].revents == 0) continue;
    reader.take_typed();
    ++n_lines;
    Pty::write_all(STDOUT_FILENO, "took");
  }
  for (int i = 1;; ++i) {
    const PlainLine line = reader.read(std::to_string(i) + "> ");
    if (line.kind != PlainLine::Kind::line) return 0;
    Pty::write_all(STDOUT_FILENO, said(line));
  }
}

// The terminal itself keeps 4095 bytes, and forgets them on Ctrl+C.
TEST(PlainReaderTest, LinesTypedDuringOtherWorkWaitWhateverComes) {
  Pty pty(read_after_work);
  ASSERT_TRUE(pty.sees("busy"));
  const std::string long_line(3000, 'x');
  for (int i = 0; i < 3; ++i) {
    pty.type(std::to_string(i) + long_line + "\n");
    ASSERT_TRUE(pty.sees("took"));
    pty.take();
  }
  pty.type("\x03");
  pty.type("last\n");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(pty.sees("[" + std::to_string(i) + long_line + "]"));
  ASSERT_TRUE(pty.sees("[last]"));
  ASSERT_TRUE(pty.sees("5> ")) << "readline has the terminal";
  pty.type("\x04");
  EXPECT_EQ(pty.wait(), 0);
}

TEST(PlainReaderTest, AResizeDoesNotInterrupt) {
  Pty pty(read_to_the_end);
  ASSERT_TRUE(pty.sees("1> "));
  pty.type("one ");
  ASSERT_TRUE(pty.sees("one "));
  pty.resize(30, 40);
  pty.type("two\r");
  ASSERT_TRUE(pty.sees("[one two]"));
  ASSERT_TRUE(pty.sees("2> "));
  pty.type("\x04");
  EXPECT_EQ(pty.wait(), 0);
}

TEST(PlainReaderTest, AHangUpIsTheEnd) {
  Pty pty([] {
    signal(SIGHUP, SIG_IGN);
    Signals signals;
    setenv("TERM", "xterm", 1);
    PlainReader reader(signals);
    const PlainLine line = reader.read("> ");
    return line.kind == PlainLine::Kind::line ? 1 : 0;
  });
  ASSERT_TRUE(pty.sees("> "));
  pty.hang_up();
  EXPECT_EQ(pty.wait(), 0);
}

// Runs a reader on a pipe that holds `input`, in a process of its own.
std::string read_pipe(std::string_view input) {
  Pty pty([input] {
    int ends[2];
    if (pipe(ends) != 0) return 2;
    Pty::write_all(ends[1], input);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    return read_to_the_end();
  });
  EXPECT_EQ(WEXITSTATUS(pty.wait()), 1) << "not interactive";
  std::string out = pty.take();
  std::erase(out, '\r');  // the terminal's
  return out;
}

TEST(PlainReaderTest, TakesLinesFromAPipeAsTheyCome) {
  EXPECT_EQ(read_pipe("one\n\ntwo\r\nthr\tee界"), "[one]\n[]\n[two]\n[thr\tee界]\n[end]\n");
  EXPECT_EQ(read_pipe(""), "[end]\n");
  EXPECT_EQ(read_pipe("\n"), "[]\n[end]\n");
}

TEST(PlainReaderTest, BlocksAndBackslashesJoinLines) {
  EXPECT_EQ(read_pipe("\"\"\"one\n\n two\\\n\"\"\"\nthree\\\nfour\\\\\nfive\n"),
            "[one\n\n two\\]\n[three\nfour\\\\]\n[five]\n[end]\n");
  EXPECT_EQ(read_pipe("\"\"\"open\nto the end"), "[\"\"\"open\nto the end]\n[end]\n");
}

TEST(WantsAccessibleTest, AsksTheEnvironment) {
  unsetenv("ACCESSIBLE");
  EXPECT_FALSE(wants_accessible());
  for (const char* off : {"", "0"}) {
    setenv("ACCESSIBLE", off, 1);
    EXPECT_FALSE(wants_accessible()) << off;
  }
  setenv("ACCESSIBLE", "1", 1);
  EXPECT_TRUE(wants_accessible());
  unsetenv("ACCESSIBLE");
}

TEST(PlainReaderTest, ASignalInterruptsAPipe) {
  Pty pty([] {
    int ends[2];
    if (pipe(ends) != 0) return 2;
    dup2(ends[0], STDIN_FILENO);
    Signals signals;
    PlainReader reader(signals);
    Pty::write_all(STDOUT_FILENO, "ready");
    return reader.read("> ").signal == SIGTERM ? 0 : 1;
  });
  ASSERT_TRUE(pty.sees("ready"));
  kill(pty.child(), SIGTERM);
  EXPECT_EQ(pty.wait(), 0);
}

}  // namespace
}  // namespace confab::ui
