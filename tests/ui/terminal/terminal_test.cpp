// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>

#include "tests/ui/terminal/background.h"
#include "tests/ui/terminal/pty.h"
#include "tests/ui/terminal/terminal_talk.h"
#include "ui/locale.h"
#include "ui/terminal/signals.h"

namespace confab::ui {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h";  // xterm's alternate screen
constexpr std::string_view kLeave = "\x1b[?1049l";

void use_xterm() {
  setenv("TERM", "xterm-256color", 1);
  for (const char* name :
       {"NO_COLOR", "TERM_PROGRAM", "VTE_VERSION", "KONSOLE_VERSION", "WT_SESSION"})
    unsetenv(name);
  use_utf8_locale();
}

Frame frame_of(const ScreenSize& size, std::string_view text) {
  Frame frame(size.rows, size.cols);
  frame.write({Rows{0}, Cols{0}}, text, {.role = Role::text});
  return frame;
}

// Draws what it is told to by keys: 1 and 2 a long line that ends so, "f" more frames than anybody
// reads, "s" hands the terminal to a shell for a line, "b" leaves it to another job for a key;
// "q" ends. After a resize, the size.
class Drawer {
 public:
  explicit Drawer(int flooded) : flooded_(flooded) {}

  int run() {
    for (std::string orders = "1"; orders != "q"; orders = next_orders())
      for (const char order : orders) obey(order);
    return 0;
  }

 private:
  // Sleeps until something has come.
  std::string next_orders() {
    std::array<pollfd, 2> waits{{{terminal_.input_fd(), POLLIN, 0}, {signals_.fd(), POLLIN, 0}}};
    poll(waits.data(), waits.size(), -1);
    if (!signals_.take().empty()) draw_size();
    std::string orders;
    for (const Event& event : terminal_.read_events()) orders += std::get<Key>(event).bytes;
    return orders;
  }

  void obey(char order) {
    if (order == '1' || order == '2') draw_line(order);
    if (order == 'f') flood();
    if (order == 's') suspend();
    if (order == 'b') go_to_the_background();
  }

  void draw_line(char last) {
    terminal_.draw(frame_of(terminal_.size(), kGraphemes + std::string(50, 'x') + last));
  }

  void draw_size() {
    const ScreenSize size = terminal_.size();
    Frame frame(size.rows, size.cols);
    const std::string text =
        std::to_string(size.rows.value) + "x" + std::to_string(size.cols.value) + ".";
    frame.write({Rows{size.rows.value - 1}, Cols{0}}, text, {});
    terminal_.draw(frame);
  }

  void flood() {
    const auto draw = [this](const std::string& text) {
      Frame frame(terminal_.size().rows, terminal_.size().cols);
      for (int row = 0; row < frame.rows().value; ++row)
        frame.write({Rows{row}, Cols{0}}, text + std::to_string(row), {});
      terminal_.draw(frame);
    };
    for (int i = 0; i < 2000; ++i) draw(std::string(static_cast<std::size_t>(i % 70), 'x'));
    const bool held = terminal_.output_fd() >= 0;
    const bool shared_waits = (fcntl(STDOUT_FILENO, F_GETFL) & O_NONBLOCK) == 0;
    Pty::write_all(flooded_, held && shared_waits ? "!" : "?");  // nobody reads until then
    const std::vector<Event> events = wait_for_events(terminal_);
    const bool interrupted = std::get<Key>(events.at(0)).character == U'c';
    draw(interrupted ? "last " : "which key? ");
    while (terminal_.output_fd() >= 0) {
      pollfd wait{.fd = terminal_.output_fd(), .events = POLLOUT, .revents = 0};
      poll(&wait, 1, -1);
      terminal_.continue_output();
    }
  }

  void suspend() {
    terminal_.suspend();
    terminal_.draw(frame_of(terminal_.size(), "unseen"));
    Pty::write_all(STDOUT_FILENO, "cooked");
    char line[8];
    const ssize_t n = read(STDIN_FILENO, line, sizeof line);
    terminal_.resume();
    terminal_.draw(frame_of(terminal_.size(), n == 5 ? "resumed" : "no line?"));
  }

  void go_to_the_background() {
    std::optional<InBackground> away(std::in_place);
    Pty::write_all(STDOUT_FILENO, "away");
    pollfd typed{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    poll(&typed, 1, -1);
    const bool left_alone = terminal_.input_fd() < 0 && terminal_.read_events().empty();
    const bool looks_again = terminal_.input_timeout().has_value();
    away.reset();
    const std::vector<Event> events = terminal_.read_events();
    const bool back = events.size() == 2 && events[0] == Event(Focus{true});
    const bool ok = left_alone && looks_again && back && !terminal_.input_timeout();
    terminal_.draw(frame_of(terminal_.size(), ok ? "here again" : "no"));
  }

  static constexpr const char* kGraphemes = "hello 界é a👩‍👩‍👧b❤️c\u0007d";

  int flooded_;  // where to tell that nothing more is taken
  Signals signals_;
  Terminal terminal_;
};

void expect_whole_graphemes(Pty& pty) {
  SCOPED_TRACE("the first frame");
  ASSERT_TRUE(pty.sees("x1"));
  ASSERT_TRUE(pty.sees("\x1b[?2026l"));
  EXPECT_FALSE(pty.modes_restored());
  const std::string out = pty.take();
  for (const char* text : {"hello 界é", "👩‍👩‍👧", "❤️"})
    EXPECT_NE(out.find(text), std::string::npos) << text << testing::PrintToString(out);
  EXPECT_EQ(out.find('\x07'), std::string::npos);
  EXPECT_LT(out.find(kEnter), out.find("\x1b[?2026h"));
  EXPECT_NE(out.find("\x1b[?2004h"), std::string::npos);
}

void expect_only_changes(Pty& pty) {
  SCOPED_TRACE("only what changed is written");
  pty.type("12");  // of which the first is there
  ASSERT_TRUE(pty.sees("\x1b[?2026l"));
  const std::string out = pty.take();
  EXPECT_NE(out.find('2', out.find("\x1b[?2026h") + 8), std::string::npos) << out;
  EXPECT_LT(out.size(), 60u) << out;
}

void expect_patience_with_a_slow_reader(Pty& pty, int flooded) {
  SCOPED_TRACE("a slow reader holds up neither frames nor keys");
  pty.type("f");
  pollfd wait{.fd = flooded, .events = POLLIN, .revents = 0};
  ASSERT_EQ(poll(&wait, 1, 20'000), 1) << "it waits for the reader";
  char said = 0;
  ASSERT_EQ(read(flooded, &said, 1), 1);
  EXPECT_EQ(said, '!') << "frames are kept back, and the shared descriptor still waits";
  pty.type("\x03");
  ASSERT_TRUE(pty.sees("last 23"));
  ASSERT_TRUE(pty.sees("\x1b[?2026l"));
  EXPECT_LT(pty.take().size(), 40000u);
}

void expect_its_size(Pty& pty) {
  SCOPED_TRACE("the size of the terminal is followed");
  pty.resize(40, 120);
  ASSERT_TRUE(pty.sees("40x120."));
  ASSERT_TRUE(pty.sees("\x1b[?2026l"));
  pty.take();
  pty.resize(1, 1);
  ASSERT_TRUE(pty.sees("\x1b[?2026l"));
  pty.resize(0, 0);  // not known
  ASSERT_TRUE(pty.sees("24x80."));
  pty.take();
}

void expect_to_be_suspended(Pty& pty) {
  SCOPED_TRACE("suspending gives the terminal back until it resumes");
  pty.type("s");
  ASSERT_TRUE(pty.sees("cooked"));
  EXPECT_TRUE(pty.modes_restored());
  const std::string out = pty.take();
  EXPECT_NE(out.find(kLeave), std::string::npos);
  EXPECT_EQ(out.find("unseen"), std::string::npos);
  pty.type("line\n");
  ASSERT_TRUE(pty.sees("resumed"));
  EXPECT_LT(pty.take().find(kEnter), std::string::npos);
  EXPECT_FALSE(pty.modes_restored());
}

void expect_to_read_nothing_in_the_background(Pty& pty) {
  SCOPED_TRACE("what is typed while another job has the terminal is not touched");
  pty.type("b");
  ASSERT_TRUE(pty.sees("away"));
  pty.take();
  pty.type("k");
  ASSERT_TRUE(pty.sees("here again"));
  EXPECT_LT(pty.take().find(kEnter), std::string::npos) << "the terminal is taken again";
}

TEST(TerminalTest, ShowsFramesAndGivesTheTerminalBack) {
  std::array<int, 2> flooded{};
  ASSERT_EQ(pipe(flooded.data()), 0);
  Pty pty([&] {
    use_xterm();
    return Drawer(flooded[1]).run();
  });
  ASSERT_NO_FATAL_FAILURE(expect_whole_graphemes(pty));
  ASSERT_NO_FATAL_FAILURE(expect_only_changes(pty));
  ASSERT_NO_FATAL_FAILURE(expect_patience_with_a_slow_reader(pty, flooded[0]));
  ASSERT_NO_FATAL_FAILURE(expect_its_size(pty));
  ASSERT_NO_FATAL_FAILURE(expect_to_be_suspended(pty));
  ASSERT_NO_FATAL_FAILURE(expect_to_read_nothing_in_the_background(pty));
  pty.type("q");
  EXPECT_EQ(pty.wait(), 0);
  const std::string out = pty.take();
  EXPECT_NE(out.find("\x1b[?2004l"), std::string::npos);
  EXPECT_NE(out.find(kLeave), std::string::npos);
  EXPECT_TRUE(pty.modes_restored());
  for (const int fd : flooded) close(fd);
}

// Says what comes, until "q". The answers to its questions are there before it asks.
int tell_what_comes() {
  use_xterm();
  TerminalDevice().use_raw_modes();
  Pty::write_all(STDOUT_FILENO, "raw");
  pollfd answered{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  poll(&answered, 1, -1);
  Terminal terminal;
  const bool known = terminal.traits().background == Background::light;
  const bool follows_links = terminal.traits().follows_links;
  terminal.set_mouse(true);
  terminal.notify("confab", "done");
  const bool copied = terminal.copy("text");
  std::string seen;
  while (seen.find('q') == std::string::npos) {
    for (const Event& event : wait_for_events(terminal)) {
      if (const auto* paste = std::get_if<Paste>(&event)) seen += "<" + paste->text + ">";
      if (event == Event(BackgroundFound{Background::dark})) seen += "DARK";
      if (const auto* key = std::get_if<Key>(&event))
        seen += key->code == Key::Code::escape ? "ESC" : key->bytes;
    }
    terminal.draw(frame_of(terminal.size(), seen));
  }
  terminal.suspend();
  terminal.resume();
  terminal.resume();  // SIGCONT, which tells of the same stop
  return Pty::all_so({{"the background is known at once", known},
                      {"links are followed where the terminal's name says so",
                       !follows_links && terminal.traits().follows_links},
                      {"a text is copied", copied},
                      {"a long one is not", !terminal.copy(std::string(100'000, 'x'))},
                      {"keys, pastes and news, not answers: " + seen, seen == "kDARKa<b\rc>ESCq"}});
}

TEST(TerminalTest, TalksWithTheTerminal) {
  Pty pty(tell_what_comes);
  ASSERT_TRUE(pty.sees("raw"));
  pty.type("\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?0uk\x1b[?62;22c");
  ASSERT_TRUE(pty.sees("k"));
  pty.type("\x1bP>|foot(1.16.2)\x1b\\\x1b]11;rgb:0/0/0\a");
  ASSERT_TRUE(pty.sees("DARK"));
  pty.type("a\x1b[200~b\rc\x1b[201~");
  pty.type("\x1b");
  ASSERT_TRUE(pty.sees("ESC"));
  pty.type("q");
  EXPECT_EQ(pty.wait(), 0);
  const std::string out = pty.take();
  EXPECT_LT(out.find(kEnter), out.find("\x1b[c"));
  EXPECT_LT(out.find(kEnter), out.find("\x1b[>5u"));
  EXPECT_LT(out.find("\x1b[<u"), out.find(kLeave));
  EXPECT_EQ(n_times(out, "\x1b[>5u"), n_times(out, "\x1b[<u")) << "nothing is left to the shell";
  for (const char* sequence : {"\x1b[c", "\x1b[>5u", "\x1b[<u", "\x1b[?1000h\x1b[?1006h", "\a",
                               "\x1b]9;confab: done\x1b\\", "\x1b]52;c;dGV4dA==\x1b\\",
                               "\x1b[?1006l\x1b[?1000l", "\x1b[?1004l"})
    EXPECT_NE(out.find(sequence), std::string::npos) << testing::PrintToString(sequence);
}

// Turns on all there is and waits for a signal, or for a key to end with `crash` (0: its own end).
int end_by(int crash) {
  use_xterm();
  Signals signals;
  Terminal terminal;
  terminal.set_mouse(true);
  std::array<pollfd, 2> waits{{{terminal.input_fd(), POLLIN, 0}, {signals.fd(), POLLIN, 0}}};
  while (waits[1].revents == 0) {
    poll(waits.data(), waits.size(), -1);
    for (const Event& event : terminal.read_events())
      if (std::holds_alternative<Key>(event)) return crash == 0 ? 0 : raise(crash);
  }
  return signals.take().at(0);
}

void expect_all_turned_off(const Pty& pty, const std::string& out) {
  const std::size_t end = out.find("\x1b[<u");
  ASSERT_NE(end, std::string::npos) << testing::PrintToString(out);
  for (const std::string_view mode :
       {std::string_view("\x1b[?1000l"), std::string_view("\x1b[?1007r"),
        std::string_view("\x1b[?1004l"), std::string_view("\x1b[?2004l"),
        std::string_view("\x1b[?7h"), std::string_view("\x1b[?25h"), kLeave})
    EXPECT_NE(out.find(mode, end), std::string::npos) << testing::PrintToString(mode);
  EXPECT_TRUE(pty.modes_restored());
}

int meet_a_hang_up() {
  use_xterm();
  signal(SIGHUP, SIG_IGN);
  Terminal terminal;
  terminal.draw(frame_of(terminal.size(), "ready"));
  const std::vector<Event> events = wait_for_events(terminal);
  const bool once = terminal.read_events().empty();
  terminal.draw(frame_of(terminal.size(), "unseen"));
  return events == std::vector<Event>{HangUp{}} && once && terminal.output_fd() < 0 ? 0 : 1;
}

struct Ending {
  const char* name;
  int sent = 0;   // to the process
  int crash = 0;  // that happens in it
};

void expect_back_after(const Ending& ending) {
  SCOPED_TRACE(ending.name);
  Pty pty([&] { return end_by(ending.crash); });
  ASSERT_TRUE(pty.sees("\x1b[c"));
  pty.type("\x1b[?0u\x1b[?62c");
  ASSERT_TRUE(pty.sees("\x1b[>5u"));
  if (ending.sent != 0)
    kill(pty.child(), ending.sent);
  else
    pty.type("k");
  const int status = pty.wait();
  if (ending.crash == 0) {
    EXPECT_EQ(WEXITSTATUS(status), ending.sent);
  }
  expect_all_turned_off(pty, pty.take());
}

void expect_untouched(const char* term, std::string_view message) {
  SCOPED_TRACE(message);
  Pty pty([term] {
    setenv("TERM", term, 1);
    Terminal terminal;
    return 0;
  });
  EXPECT_EQ(WEXITSTATUS(pty.wait()), Pty::kUncaught);
  EXPECT_EQ(pty.take(), message);
  EXPECT_TRUE(pty.modes_restored());
}

TEST(TerminalTest, EveryEndGivesTheTerminalBack) {
  for (const Ending& ending :
       {Ending{"its own end"}, Ending{"SIGTERM", SIGTERM}, Ending{"SIGHUP", SIGHUP},
        Ending{"SIGSEGV", 0, SIGSEGV}, Ending{"SIGABRT", 0, SIGABRT}})
    expect_back_after(ending);
  expect_untouched("dumb", "TERM=dumb: this terminal cannot move its cursor");
  expect_untouched("no-such-terminal", "TERM=no-such-terminal: unknown terminal");
  expect_untouched("", "TERM is not set");
  SCOPED_TRACE("a terminal that is gone is told once, and takes nothing");
  Pty pty(meet_a_hang_up);
  ASSERT_TRUE(pty.sees("ready"));
  pty.hang_up();
  EXPECT_EQ(pty.wait(), 0);
}

}  // namespace
}  // namespace confab::ui
