// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_facts.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/ui/escape_scanner.h"

namespace confab::ui {
namespace {

using Kind = TerminalReply::Kind;

TEST(TerminalFactsTest, TheLastQuestionIsTheOneThatAllAnswer) {
  const std::string questions = terminal_questions(Rows{24}, Surface::screen);
  EXPECT_TRUE(questions.ends_with("\x1b[c"));
  EXPECT_NE(questions.find("\x1b[6n"), std::string::npos);
  EXPECT_EQ(foreign_sequence(questions), std::nullopt);
  EXPECT_EQ(terminal_questions(Rows{1}, Surface::screen).find("\x1b[6n"), std::string::npos);
  EXPECT_EQ(terminal_questions(Rows{24}, Surface::scrollback).find("\x1b[2H"), std::string::npos);
}

TEST(TerminalFactsTest, AnswersAreTakenIn) {
  TerminalFacts facts;
  Capabilities can{.synchronized = true};
  learn({.kind = Kind::name, .text = "foot(1.16)\x1b"}, facts, can);
  EXPECT_EQ(facts.name, "foot(1.16)\u241b");
  learn({.kind = Kind::background, .text = "rgb:ffff/ffff/ffff"}, facts, can);
  EXPECT_EQ(facts.background, Background::light);
  learn({.kind = Kind::background, .text = "nonsense"}, facts, can);
  EXPECT_EQ(facts.background, Background::light);
  learn({.kind = Kind::scheme, .first = 1}, facts, can);
  EXPECT_EQ(facts.background, Background::dark) << "it has changed";
  learn({.kind = Kind::keyboard}, facts, can);
  EXPECT_TRUE(facts.keyboard);
  EXPECT_FALSE(facts.answered);
  learn({.kind = Kind::attributes}, facts, can);
  EXPECT_TRUE(facts.answered);
}

TEST(TerminalFactsTest, SynchronisedOutputIsUsedUnlessTheTerminalDoesNotKnowIt) {
  TerminalFacts facts;
  Capabilities can{.synchronized = true};
  learn({.kind = Kind::mode, .first = 2004, .second = 0}, facts, can);
  EXPECT_TRUE(can.synchronized);
  EXPECT_FALSE(can.synchronized_known);
  learn({.kind = Kind::mode, .first = 2026, .second = 2}, facts, can);
  EXPECT_TRUE(can.synchronized);
  EXPECT_TRUE(can.synchronized_known);
  learn({.kind = Kind::mode, .first = 2026, .second = 0}, facts, can);
  EXPECT_FALSE(can.synchronized);
}

TEST(TerminalFactsTest, TheCursorTellsTheWidthOfAmbiguousCharacters) {
  TerminalFacts facts;
  Capabilities can;
  learn({.kind = Kind::cursor, .first = 2, .second = 3}, facts, can);
  EXPECT_FALSE(can.ambiguous_is_narrow);
  TerminalFacts others;
  learn({.kind = Kind::cursor, .first = 7, .second = 2}, others, can);
  EXPECT_TRUE(can.ambiguous_is_narrow);
}

TEST(TerminalFactsTest, BackgroundsAreLightOrDark) {
  for (const char* dark :
       {"rgb:0000/0000/0000", "rgb:1e/1e/2e", "rgb:0/0/f", "#002b36", "rgba:1111/1111/1111/8000"})
    EXPECT_EQ(background_of(dark), Background::dark) << dark;
  for (const char* light : {"rgb:fdfd/f6f6/e3e3", "rgb:f/f/f", "#fdf6e3", "rgb:0/f/0"})
    EXPECT_EQ(background_of(light), Background::light) << light;
  for (const char* none :
       {"", "rgb:", "rgb:0/0", "rgb:0/0/", "rgb:00000/0/0", "rgb:x/0/0", "red", "#12345"})
    EXPECT_EQ(background_of(none), std::nullopt) << none;
}

TEST(TerminalFactsTest, SomeTerminalsSayItInTheEnvironment) {
  const std::pair<const char*, std::optional<Background>> cases[] = {
      {"15;0", Background::dark}, {"0;15", Background::light}, {"0;default;15", Background::light},
      {"0;7", Background::light}, {"7;8", Background::dark},   {"default;default", std::nullopt},
      {"", std::nullopt},         {"0;99", std::nullopt}};
  for (const auto& [value, wanted] : cases) {
    setenv("COLORFGBG", value, 1);
    EXPECT_EQ(background_of_environment(), wanted) << value;
  }
  unsetenv("COLORFGBG");
  EXPECT_EQ(background_of_environment(), std::nullopt);
}

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

TEST(LinkSupportTest, TerminalsAreKnownByName) {
  for (const char* name : {"foot(1.16.2)", "kitty(0.35.1)", "VTE(7600)", "WezTerm 20240203",
                           "iTerm2 3.5.0", "ghostty 1.0.0", "Konsole 24.08.1"})
    EXPECT_TRUE(follows_links(name)) << name;
  for (const char* name : {"", "XTerm(379)", "tmux 3.3a", "tmux 3.5", "a terminal of tomorrow"})
    EXPECT_FALSE(follows_links(name)) << name;
}

class LinkEnvironmentTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"TMUX", "STY", "TERM_PROGRAM", "VTE_VERSION", "KONSOLE_VERSION", "WT_SESSION"})
      unsetenv(name);
    setenv("TERM", "xterm-256color", 1);
  }
};

// Its database entry has smcup, and so have those of terminals without links.
TEST_F(LinkEnvironmentTest, NothingFollowsFromAnotherScreen) {
  EXPECT_FALSE(environment_follows_links());
}

TEST_F(LinkEnvironmentTest, TermNamesSome) {
  for (const char* term : {"xterm-kitty", "foot", "foot-extra", "alacritty", "xterm-ghostty"}) {
    setenv("TERM", term, 1);
    EXPECT_TRUE(environment_follows_links()) << term;
  }
}

TEST_F(LinkEnvironmentTest, OthersSetVariables) {
  setenv("VTE_VERSION", "4800", 1);
  EXPECT_FALSE(environment_follows_links());
  setenv("VTE_VERSION", "7600", 1);
  EXPECT_TRUE(environment_follows_links());
  setenv("TMUX", "/tmp/tmux-1000/default,1,0", 1);
  EXPECT_FALSE(environment_follows_links());
}

TEST_F(LinkEnvironmentTest, SoDoPrograms) {
  setenv("TERM_PROGRAM", "Apple_Terminal", 1);
  EXPECT_FALSE(environment_follows_links());
  setenv("TERM_PROGRAM", "iTerm.app", 1);
  EXPECT_TRUE(environment_follows_links());
}

}  // namespace
}  // namespace confab::ui
