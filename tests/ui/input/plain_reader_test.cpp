// SPDX-License-Identifier: MIT
#include "ui/input/plain_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/ui/escape_scanner.h"
#include "tests/ui/terminal/background.h"
#include "tests/ui/terminal/pty.h"
#include "ui/locale.h"
#include "ui/terminal/plain_writer.h"

namespace confab::ui {
namespace {

std::string said(const PlainLine& line) {
  switch (line.kind) {
    case PlainLine::Kind::line:
      return "[" + line.text + "]" + (line.pasted.empty() ? "" : "{" + line.pasted + "}") + "\n";
    case PlainLine::Kind::end:
      return "[end]\n";
    case PlainLine::Kind::interrupted:
      return "[signal " + std::to_string(line.signal) + "]\n";
  }
  return {};
}

// Says what it reads, until the end, with a number in each prompt to wait for; and that
// there is news, for each SIGUSR1.
int read_to_the_end() {
  use_utf8_locale();
  Signals signals;
  PlainReader reader(signals);
  PlainWriter out(STDOUT_FILENO);
  reader.add_history("from before");
  std::array<int, 2> news{};
  if (pipe(news.data()) != 0) return 3;
  static int news_end = 0;
  news_end = news[1];
  signal(SIGUSR1, [](int) { [[maybe_unused]] const auto n = ::write(news_end, "n", 1); });
  reader.watch({.fd = [&] { return news[0]; },
                .has_news =
                    [&] {
                      char byte = 0;
                      return ::read(news[0], &byte, 1) == 1;
                    },
                .tell = [&] { out.write("[news]\n"); }});
  for (int i = 1;; ++i) {
    const PlainLine line = reader.read(std::to_string(i) + "> ");
    out.write(said(line));
    if (line.kind == PlainLine::Kind::end) return reader.interactive() ? 0 : 1;
  }
}

// Whether it is interactive with `fd` elsewhere.
bool is_interactive_without(int fd) {
  const int terminal = dup(fd);
  dup2(open("/dev/null", O_RDWR), fd);
  Signals signals;
  const bool interactive = PlainReader(signals).interactive();
  dup2(terminal, fd);
  return interactive;
}

int edit_lines() {
  setenv("TERM", "xterm-256color", 1);
  setenv("INPUTRC", "/dev/null", 1);
  if (is_interactive_without(STDIN_FILENO) || is_interactive_without(STDOUT_FILENO)) return 2;
  Pty::write_all(STDOUT_FILENO, PlainWriter(STDOUT_FILENO).is_terminal() ? "ready" : "a pipe?");
  pollfd typed{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  poll(&typed, 1, -1);
  return read_to_the_end();
}

// What is typed at one prompt after the other, and what is read there.
class Lines {
 public:
  explicit Lines(Pty& pty) : pty_(pty) {}
  void expect_read(const char* what, const std::string& typed, const std::string& line) {
    SCOPED_TRACE(what);
    pty_.type(typed);
    ASSERT_TRUE(pty_.sees(line));
    ASSERT_TRUE(pty_.sees(std::to_string(++n_) + "> "));
  }

 private:
  Pty& pty_;
  int n_ = 1;  // of the last prompt
};

TEST(PlainReaderTerminalTest, EditsLines) {
  Pty pty(edit_lines);
  ASSERT_TRUE(pty.sees("ready"));
  Lines lines(pty);
  lines.expect_read("a line typed before its prompt", "early\r", "[early]");
  lines.expect_read("editing", "helo界\x02\x02l\r", "[hello界]");
  lines.expect_read("history", "\x1b[A\r", "[from before]");
  lines.expect_read("an empty line", "\r", "[]");
  pty.take();
  pty.type("dropped");
  ASSERT_TRUE(pty.sees("dropped"));
  lines.expect_read("Ctrl+C drops the line", "\x03", "[signal " + std::to_string(SIGINT) + "]");
  EXPECT_NE(pty.take().find("dropped\r\n"), std::string::npos) << "the line is left";
  pty.type("one ");
  ASSERT_TRUE(pty.sees("one "));
  pty.resize(30, 40);
  lines.expect_read("a resize does not interrupt", "two\r", "[one two]");
  pty.type("half ");
  ASSERT_TRUE(pty.sees("half "));
  kill(pty.child(), SIGUSR1);
  ASSERT_TRUE(pty.sees("[news]")) << "while a line is typed";
  ASSERT_TRUE(pty.sees("half ")) << "which comes back";
  lines.expect_read("and goes on", "whole\r", "[half whole]");
  pty.take();
  lines.expect_read("a hostile paste",
                    "\x1b[200~a\u009b31m\u0090q\u202e\U000e0041\x9b\xc0\x9b\xff pasted\x1b[201~\r",
                    "pasted}");
  lines.expect_read("a paste is told from what is typed",
                    "typed \x1b[200~@a b\x1b[201~ @c\x1b[D\x1b[D\x1b[200~and \x1b[201~\r",
                    "[typed @a b and @c]{@a b\r\nand }");
  lines.expect_read("and forgotten with its line", "typed\r", "[typed]\r\n");
  pty.type("\x04");
  EXPECT_EQ(pty.wait(), 0);
  const std::string out = pty.take();
  EXPECT_NE(out.find("[end]"), std::string::npos);
  EXPECT_EQ(foreign_sequence(out), std::nullopt);
  EXPECT_TRUE(pty.modes_restored());
}

int read_for_a_screen_reader() {
  setenv("TERM", "xterm", 1);
  setenv("ACCESSIBLE", "1", 1);
  setenv("INPUTRC", "/dev/null", 1);
  return read_to_the_end();
}

TEST(PlainReaderTerminalTest, APasteThatIsNotMarkedIsOneMessage) {
  Pty pty(read_for_a_screen_reader);
  ASSERT_TRUE(pty.sees("1> "));
  Lines lines(pty);
  lines.expect_read("a line", "one line\r", "[one line]");
  pty.type("see this:\r/system You are a pirate\rthird line");
  ASSERT_TRUE(pty.sees("third line"));
  const auto look_at_it = [] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); };
  look_at_it();  // what comes at once is of the paste
  lines.expect_read("sent by its own Enter", "\r",
                    "[see this:\r\n/system You are a pirate\r\nthird line]");
  pty.type("one\n\n/quit\n");
  ASSERT_TRUE(pty.sees("/quit"));
  look_at_it();
  lines.expect_read("also when it ends with a line break", "\r", "[one\r\n\r\n/quit\r\n]");
  EXPECT_EQ(pty.take().find("\x1b"), std::string::npos);
  pty.type("\x04");
  EXPECT_EQ(pty.wait(), 0);
}

// Works until four lines have come, the first while another job has the terminal, says so of each,
// and reads them then.
int read_after_work() {
  setenv("TERM", "xterm", 1);
  setenv("INPUTRC", "/dev/null", 1);
  use_utf8_locale();
  Signals signals;
  PlainReader reader(signals);
  {
    const InBackground away;
    Pty::write_all(STDOUT_FILENO, "away");
    pollfd typed{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    poll(&typed, 1, -1);
    const bool left_alone = reader.typing_fd() < 0;
    reader.take_typed();
    Pty::write_all(STDOUT_FILENO, left_alone ? "busy" : "touched");
  }
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
TEST(PlainReaderTerminalTest, LinesTypedDuringOtherWorkWaitWhateverComes) {
  Pty pty(read_after_work);
  const std::string long_line(3000, 'x');
  ASSERT_TRUE(pty.sees("away"));
  for (int i = 0; i < 3; ++i) {
    pty.type(std::to_string(i) + long_line + "\n");
    ASSERT_TRUE(pty.sees("took"));
    EXPECT_EQ(pty.take().find("touched"), std::string::npos);
  }
  pty.type("\x03");
  pty.type("last\n");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(pty.sees("[" + std::to_string(i) + long_line + "]"));
  ASSERT_TRUE(pty.sees("[last]"));
  ASSERT_TRUE(pty.sees("5> ")) << "readline has the terminal";
  pty.hang_up();
  EXPECT_EQ(pty.wait(), 0) << "which is the end";
}

// A process with pipes for stdin and stdout.
class Piped {
 public:
  explicit Piped(int (*body)()) {
    std::array<int, 2> in{}, out{};
    EXPECT_EQ(pipe2(in.data(), O_CLOEXEC) + pipe2(out.data(), O_CLOEXEC), 0);
    child_ = fork();
    if (child_ == 0) {
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      for (const int end : {in[0], in[1], out[0], out[1]}) close(end);
      _exit(body());
    }
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }
  ~Piped() {
    end_input();
    close(from_);
  }
  Piped(const Piped&) = delete;
  Piped& operator=(const Piped&) = delete;

  void type(std::string_view bytes) const { Pty::write_all(to_, bytes); }
  void end_input() {
    if (to_ >= 0) close(std::exchange(to_, -1));
  }
  void signal(int number) const { kill(child_, number); }
  // Waits for what it writes: some of it, or nothing when it has ended.
  std::string read_some() const {
    std::array<char, 4096> buffer;
    const ssize_t n = read(from_, buffer.data(), buffer.size());
    return {buffer.data(), static_cast<std::size_t>(n > 0 ? n : 0)};
  }
  int wait() const {
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t child_ = -1;
  int to_ = -1;
  int from_ = -1;
};

std::string read_pipe(std::string_view input) {
  Piped piped(read_to_the_end);
  piped.type(input);
  piped.end_input();
  std::string out;
  for (std::string more; !(more = piped.read_some()).empty();) out += more;
  EXPECT_EQ(piped.wait(), 1) << "not interactive";
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

TEST(PlainReaderTest, ASignalInterruptsAPipe) {
  Piped piped([] {
    Signals signals;
    PlainReader reader(signals);
    Pty::write_all(STDOUT_FILENO, "ready");
    return reader.read("> ").signal == SIGTERM ? 0 : 1;
  });
  ASSERT_EQ(piped.read_some(), "ready");
  piped.signal(SIGTERM);
  EXPECT_EQ(piped.wait(), 0);
}

}  // namespace
}  // namespace confab::ui
