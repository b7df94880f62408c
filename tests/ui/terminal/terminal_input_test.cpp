// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_input.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string_view>

namespace confab::ui {
namespace {

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
