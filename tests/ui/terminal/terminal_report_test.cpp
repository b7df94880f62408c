// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_report.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

using Kind = TerminalReply::Kind;

std::optional<Event> known(std::string_view body, char last) {
  const TerminalReport report = terminal_report(body, last);
  EXPECT_TRUE(report.known) << body << last;
  return report.event;
}

TEST(TerminalReportTest, AnswersAreTold) {
  EXPECT_EQ(known("?62;22", 'c'), Event(TerminalReply{.kind = Kind::attributes}));
  EXPECT_EQ(known("?1", 'u'), Event(TerminalReply{.kind = Kind::keyboard, .first = 1}));
  EXPECT_EQ(known("?2026;2$", 'y'),
            Event(TerminalReply{.kind = Kind::mode, .first = 2026, .second = 2}));
  EXPECT_EQ(known("?997;2", 'n'), Event(TerminalReply{.kind = Kind::scheme, .first = 2}));
  EXPECT_EQ(known("2;3", 'R'), Event(TerminalReply{.kind = Kind::cursor, .first = 2, .second = 3}));
}

TEST(TerminalReportTest, FocusAndTheWheelAreTold) {
  EXPECT_EQ(known("", 'I'), Event(Focus{true}));
  EXPECT_EQ(known("", 'O'), Event(Focus{false}));
  EXPECT_EQ(known("<64;10;5", 'M'), Event(Key{.code = Key::Code::wheel_up}));
  EXPECT_EQ(known("<69;10;5", 'M'), Event(Key{.code = Key::Code::wheel_down, .shift = true}));
}

TEST(TerminalReportTest, AClickIsTold) {
  EXPECT_EQ(known("<0;10;5", 'M'), Event(Click{.row = 4, .col = 9}));
}

TEST(TerminalReportTest, OtherReportsMeanNothing) {
  EXPECT_EQ(known("<0;10;5", 'm'), std::nullopt);
  EXPECT_EQ(known("<2;10;5", 'M'), std::nullopt);
  EXPECT_EQ(known("<4;10;5", 'M'), std::nullopt) << "with Shift it is the terminal's";
  EXPECT_EQ(known("<64;10;5", 'm'), std::nullopt);
  EXPECT_EQ(known("?997;3", 'n'), std::nullopt);
  EXPECT_EQ(known(">1;2", 'c'), std::nullopt);
}

TEST(TerminalReportTest, KeysAreKeys) {
  EXPECT_FALSE(terminal_report("1;2", 'R').known);  // Shift+F3
  EXPECT_FALSE(terminal_report("", 'R').known);
  EXPECT_FALSE(terminal_report("1;5", 'A').known);
  EXPECT_FALSE(terminal_report("13;2", 'u').known);
}

TEST(TerminalReportTest, ParametersStopAtSubparameters) {
  EXPECT_EQ(csi_parameters("97:65;5:1;98"), (std::array{97, 5, 98}));
  EXPECT_EQ(csi_sub_parameter("97:65;5:1;98", 0, 1), 65);
  EXPECT_EQ(csi_sub_parameter("97::99;5:3", 0, 2), 99);
  EXPECT_EQ(csi_sub_parameter("97::99;5:3", 1, 1), 3);
  EXPECT_EQ(csi_sub_parameter("97", 1, 1), 0);
  EXPECT_EQ(csi_parameters(";7"), (std::array{0, 7, 0}));
  EXPECT_EQ(csi_parameters("99999999999"), (std::array{0x10FFFF, 0, 0}));
}

TEST(TerminalReportTest, StringsAreAnswers) {
  EXPECT_EQ(reply_of_string("\x1b]11;rgb:0/0/0"),
            Event(TerminalReply{.kind = Kind::background, .text = "rgb:0/0/0"}));
  EXPECT_EQ(reply_of_string("\x1bP>|tmux 3.3a"),
            Event(TerminalReply{.kind = Kind::name, .text = "tmux 3.3a"}));
  EXPECT_EQ(reply_of_string("\x1bP1$r"), std::nullopt);
}

}  // namespace
}  // namespace confab::ui
