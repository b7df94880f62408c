// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_device.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <thread>

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

using std::chrono::milliseconds;

constexpr milliseconds kLong{60'000};
constexpr std::string_view kDark = "\x1b]11;rgb:00/00/00\x1b\\";
constexpr std::string_view kCursor = "\x1b[7;1R";

class TerminalInputTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(pipe(ends_.data()), 0); }
  void TearDown() override {
    close(ends_[0]);
    hang_up();
  }
  void send(std::string_view bytes) {
    ASSERT_EQ(write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void hang_up() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

  std::array<int, 2> ends_{-1, -1};
  std::vector<TerminalReply> replies_;
};

TEST_F(TerminalInputTest, TellsKeysAndKeepsAnswersApart) {
  TerminalInput input(ends_[0], [this](const TerminalReply& reply) -> std::optional<Event> {
    replies_.push_back(reply);
    return BackgroundFound{Background::dark};
  });
  input.expect_answers();
  send("a" + std::string(kDark) + "b");
  const std::vector<Event> events = input.read_events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(std::get<Key>(events[0]).character, U'a');
  EXPECT_TRUE(std::holds_alternative<BackgroundFound>(events[1]));
  EXPECT_EQ(std::get<Key>(events[2]).character, U'b');
  ASSERT_EQ(replies_.size(), 1u);
  EXPECT_EQ(replies_[0].kind, TerminalReply::Kind::background);
  EXPECT_EQ(input.timeout(), std::nullopt);
}

TEST_F(TerminalInputTest, KeepsWhatWasTypedWhileAnAnswerWasWaitedFor) {
  TerminalInput input(ends_[0], [this](const TerminalReply& reply) -> std::optional<Event> {
    replies_.push_back(reply);
    return BackgroundFound{Background::dark};
  });
  input.expect_answers();
  send("hi" + std::string(kCursor));
  input.await([this] { return !replies_.empty(); }, kLong);
  ASSERT_EQ(replies_.size(), 1u);
  EXPECT_EQ(replies_[0].first, 7);
  EXPECT_EQ(input.timeout(), milliseconds(0)) << "there is something to read";
  EXPECT_EQ(input.read_events().size(), 2u) << "h and i, but no news of the answer";
}

TEST_F(TerminalInputTest, GivesUpWaitingWhenTheTimeIsUpOrTheTerminalIsGone) {
  TerminalInput input(ends_[0], [](const TerminalReply&) { return std::nullopt; });
  input.await([] { return false; }, milliseconds(1));
  hang_up();
  input.await([] { return false; }, kLong);
  const std::vector<Event> events = input.read_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<HangUp>(events[0]));
  EXPECT_TRUE(input.read_events().empty()) << "told once";
}

TEST_F(TerminalInputTest, SeveralArrowsAtOnceAreTheWheelWhereItComesAsArrows) {
  TerminalInput input(ends_[0], [](const TerminalReply&) { return std::nullopt; });
  const std::string five = "\x1b[A\x1b[A\x1b[A\x1b[A\x1b[A";
  send(five);
  EXPECT_EQ(input.read_events().size(), 5u) << "not on a screen with a scrollback";
  input.set_wheel_as_arrows(true);
  send(five);
  EXPECT_EQ(input.read_events(), std::vector<Event>(2, Key{.code = Key::Code::wheel_up}));
  send("\x1bOB\x1bOB\x1bOB");
  EXPECT_EQ(input.read_events(), std::vector<Event>(1, Key{.code = Key::Code::wheel_down}));
  for (const char* typed :
       {"\x1b[A", "\x1b[A\x1b[A", "x\x1b[A\x1b[A", "\x1b[A\x1b[A\x1b[B", "\x1b[C\x1b[C\x1b[C"}) {
    send(typed);
    for (const Event& event : input.read_events())
      EXPECT_NE(std::get<Key>(event).code, Key::Code::wheel_up) << typed;
  }
}

TEST_F(TerminalInputTest, AnEscapeAloneIsTheKeyWhenNoMoreComes) {
  TerminalInput input(ends_[0], [](const TerminalReply&) { return std::nullopt; });
  send("\x1b");
  EXPECT_TRUE(input.read_events().empty());
  ASSERT_NE(input.timeout(), std::nullopt);
  EXPECT_LE(*input.timeout(), milliseconds(1000));
}

TEST_F(TerminalInputTest, AnEscapeIsAsQuickAsEverOnceAllIsAnswered) {
  TerminalInput input(ends_[0], [this](const TerminalReply& reply) -> std::optional<Event> {
    replies_.push_back(reply);
    return std::nullopt;
  });
  input.expect_answers();
  send(kCursor);
  input.await([this] { return !replies_.empty(); }, kLong);
  send("\x1b");
  EXPECT_TRUE(input.read_events().empty());
  ASSERT_NE(input.timeout(), std::nullopt);
  EXPECT_LE(*input.timeout(), KeyDecoder::kEscapeTimeout);
}

}  // namespace
}  // namespace confab::ui

// On pipes that do not wait, which fill up and go away as terminals do. That a terminal is opened
// once more, and what it has not read is dropped, is seen in terminal_test.cpp and in
// tests/app/screen/terminal_storm_test.cpp.
namespace confab::ui {
namespace {

// More than a pipe holds.
std::string much() {
  std::string bytes(1 << 20, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i % 251);
  return bytes;
}

class TerminalOutputTest : public testing::Test {
 protected:
  TerminalOutputTest() {
    EXPECT_EQ(pipe2(ends_.data(), O_CLOEXEC), 0);
    EXPECT_EQ(fcntl(ends_[1], F_SETFL, O_NONBLOCK), 0);
  }
  ~TerminalOutputTest() override {
    close_reader();
    close(ends_[1]);
  }
  int writer() const { return ends_[1]; }
  void close_reader() {
    if (ends_[0] >= 0) close(ends_[0]);
    ends_[0] = -1;
  }
  // Appends what is read at once; waits for something to read.
  void read_some(std::string& bytes) const {
    std::array<char, 65536> buffer;
    const ssize_t n = read(ends_[0], buffer.data(), buffer.size());
    if (n > 0) bytes.append(buffer.data(), static_cast<std::size_t>(n));
  }

 private:
  std::array<int, 2> ends_{};
};

TEST_F(TerminalOutputTest, DoesNotWaitForASlowReader) {
  TerminalOutput output(writer());
  output.send(much());
  output.send("end");
  EXPECT_TRUE(output.pending());
  std::string bytes;
  while (output.pending()) {
    read_some(bytes);
    output.flush();
  }
  while (bytes.size() < much().size() + 3) read_some(bytes);
  EXPECT_TRUE(bytes == much() + "end");
}

TEST_F(TerminalOutputTest, DrainingWaitsForTheReader) {
  TerminalOutput output(writer());
  output.send(much());
  ASSERT_TRUE(output.pending());
  std::string bytes;
  std::thread reader([&] {
    while (bytes.size() < much().size()) read_some(bytes);
  });
  EXPECT_TRUE(output.drain(std::chrono::seconds(20)));
  EXPECT_FALSE(output.pending());
  output.send(much());  // whatever came: the reader ends
  reader.join();
  EXPECT_EQ(bytes.compare(0, much().size(), much()), 0);
}

TEST_F(TerminalOutputTest, WhatIsNeverReadIsDroppedInTheEnd) {
  TerminalOutput output(writer());
  output.send(much());
  EXPECT_FALSE(output.drain(std::chrono::milliseconds(1)));
  EXPECT_FALSE(output.pending());
  std::string bytes;
  for (pollfd more{writer(), POLLOUT, 0}; poll(&more, 1, 0) == 0;) read_some(bytes);
  output.send("done");
  EXPECT_FALSE(output.pending());
  while (!bytes.ends_with("done")) read_some(bytes);
  EXPECT_LT(bytes.size(), much().size());
}

TEST_F(TerminalOutputTest, ATerminalThatIsGoneTakesNothing) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;  // a terminal sends SIGHUP in its place
  sigaction(SIGPIPE, &ignore, &before);
  TerminalOutput output(writer());
  close_reader();
  output.send("unseen");
  EXPECT_FALSE(output.pending());
  sigaction(SIGPIPE, &before, nullptr);
}

class RedrawingTest : public ::testing::Test {
 protected:
  RedrawingTest() {
    setenv("TERM", "xterm-256color", 1);
    unsetenv("ACCESSIBLE");
  }
  ~RedrawingTest() override { unsetenv("ACCESSIBLE"); }
};

using RedrawingTerminalTest = RedrawingTest;

TEST_F(RedrawingTest, ScreenReadersAreAskedForInTheEnvironment) {
  EXPECT_FALSE(wants_accessible());
  for (const char* off : {"", "0"}) {
    setenv("ACCESSIBLE", off, 1);
    EXPECT_FALSE(wants_accessible()) << off;
  }
  setenv("ACCESSIBLE", "1", 1);
  EXPECT_TRUE(wants_accessible());
}

TEST_F(RedrawingTerminalTest, OnlyATerminalThatMovesItsCursorIsDrawnOnAgain) {
  const int controller = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(controller, 0);
  ASSERT_EQ(grantpt(controller), 0);
  ASSERT_EQ(unlockpt(controller), 0);
  const int terminal = open(ptsname(controller), O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  EXPECT_TRUE(may_redraw(terminal));
  setenv("ACCESSIBLE", "1", 1);
  EXPECT_FALSE(may_redraw(terminal));
  unsetenv("ACCESSIBLE");
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(may_redraw(terminal));
  unsetenv("TERM");
  EXPECT_FALSE(may_redraw(terminal));
  setenv("TERM", "xterm-256color", 1);
  const int nothing = open("/dev/null", O_RDWR);
  EXPECT_FALSE(may_redraw(nothing));
  for (const int fd : {nothing, terminal, controller}) close(fd);
}

}  // namespace
}  // namespace confab::ui
