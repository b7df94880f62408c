// SPDX-License-Identifier: MIT
#include "ui/transcript/answer_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

using ::testing::HasSubstr;

AnswerColumns three() {
  AnswerColumns answers(3);
  answers.append(0, "One.");
  answers.append(1, "Two, and more\n\nthan that.");
  answers.set_label(0, "1 token");
  answers.set_label(1, "done, 5 tokens");
  answers.set_label(2, "waiting");
  return answers;
}

TEST(AnswerColumnsTest, StandSideBySideWhereThereIsRoom) {
  AnswerColumns answers = three();
  answers.turn_to(1);
  EXPECT_EQ(
      to_text(answers.lines(Cols{114})),
      "Answer 1                             │ ▸ Answer 2                           │ Answer 3\n"
      "One.                                 │ Two, and more                        │ \n"
      "                                     │                                      │ \n"
      "                                     │ than that.                           │ \n"
      "                                     │                                      │ \n"
      "1 token                              │ ▸ done, 5 tokens                     │ waiting\n");
}

TEST(AnswerColumnsTest, ElseOneIsShownAndTheOthersAreCounted) {
  AnswerColumns answers = three();
  EXPECT_EQ(to_text(answers.lines(Cols{113})),
            "One.\n\nanswer 1 of 3: 1 token · 2: done, 5 tokens · 3: waiting\n");
  answers.turn_to(2);
  EXPECT_EQ(answers.shown(), 2U);
  EXPECT_EQ(to_text(answers.lines(Cols{30})),
            "…\n\nanswer 3 of 3: waiting · 1: 1\ntoken · 2: done, 5 tokens\n");
}

TEST(AnswerColumnsTest, NoLineIsWiderThanItMayBe) {
  AnswerColumns answers = three();
  answers.append(0, std::string(300, 'x') + "\x1b[31m\n\n```\n" + std::string(90, 'y') + "\n```\n");
  answers.set_label(2, std::string(200, 'z'));
  for (int cols = 1; cols < 160; ++cols)
    for (const Line& line : answers.lines(Cols{cols})) ASSERT_LE(width(line), Cols{cols}) << cols;
  EXPECT_EQ(to_text(answers.lines(Cols{150})).find('\x1b'), std::string::npos);
}

TEST(AnswerColumnsTest, TheSourceIsOfTheOneThatIsShown) {
  AnswerColumns answers = three();
  EXPECT_EQ(answers.source(), "One.");
  answers.turn_to(1);
  EXPECT_THAT(answers.source(), HasSubstr("than that."));
}

}  // namespace
}  // namespace confab::ui
