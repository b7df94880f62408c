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

}  // namespace
}  // namespace confab::ui
