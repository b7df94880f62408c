// SPDX-License-Identifier: MIT
#include "app/line/fitting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/chat/chat.h"
#include "tests/app/line/word_model.h"

namespace confab::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A hundred words, of which an answer may have 25.
class FittingTest : public testing::Test {
 protected:
  static Question about(std::initializer_list<std::pair<const char*, std::string>> files) {
    Question question("What is it?");
    for (const auto& [name, text] : files)
      question.attachments.push_back(sessions::make_attachment(name, text));
    return question;
  }
  Question truncated(const Question& question) {
    return fitting_.truncated(question,
                              [this](std::string_view line) { told_.emplace_back(line); });
  }
  std::string fault(const std::function<void()>& f) {
    try {
      f();
    } catch (const TooLongError& error) {
      return error.what();
    }
    return "none";
  }

  WordModel model_{100};
  Chat chat_{model_, nullptr, {}};
  Fitting fitting_{model_, chat_};
  std::vector<std::string> told_;
};

TEST_F(FittingTest, CountsThePromptAsTheModelDoes) {
  EXPECT_EQ(fitting_.count(Question("one two three")), 3);
  EXPECT_EQ(fitting_.count(about({{"a", "x y"}})), 3 + 2 + 1 + 2);
}

TEST_F(FittingTest, WhatDoesNotFitIsToldInTokens) {
  fitting_.require(about({{"a", lines(46)}}));  // 98 tokens
  EXPECT_EQ(fault([&] {
              fitting_.require(about({{"a", lines(60)}}));
            }),
            "the prompt has 126 tokens, 27 more than fit; shorten it, or give --overflow truncate "
            "or split; the model allows no larger context");
  std::string long_question;
  for (int i = 0; i < 100; ++i) long_question += "why ";
  EXPECT_EQ(fault([&] { fitting_.require(Question(long_question)); }),
            "the prompt has 100 tokens, 1 more than fit; shorten it; the model allows no larger "
            "context");
}

TEST_F(FittingTest, WhatFitsStaysAsItIs) {
  const Question question = about({{"a", lines(30)}});
  EXPECT_EQ(truncated(question), question);
  EXPECT_TRUE(told_.empty());
}

TEST_F(FittingTest, OnlyTheLongestIsCutAndAsLittleAsCanBe) {
  const Question question = about({{"short", lines(5)}, {"long", lines(60)}});
  const Question cut = truncated(question);
  EXPECT_EQ(cut.attachments[0], question.attachments[0]);
  EXPECT_THAT(*cut.attachments[1].content, HasSubstr("line 1\nline 2\n"));
  EXPECT_THAT(*cut.attachments[1].content, testing::EndsWith("line 59\nline 60\n"));
  EXPECT_THAT(*cut.attachments[1].content, HasSubstr(" lines left out here ...]\n"));
  EXPECT_TRUE(fitting_.fits_with_answer(cut));
  EXPECT_GE(fitting_.count(cut), 100 - 25 - 3) << "one more line would not fit";
  EXPECT_THAT(told_, ElementsAre(testing::MatchesRegex("left out to make it fit: [0-9]+ lines of "
                                                       "long")));
}

TEST_F(FittingTest, SeveralLongOnesAreCutAlike) {
  const Question cut = truncated(about({{"a", lines(50)}, {"-", lines(50)}}));
  EXPECT_TRUE(fitting_.fits_with_answer(cut));
  const auto a = cut.attachments[0].size_bytes, b = cut.attachments[1].size_bytes;
  EXPECT_EQ(a, b);
  EXPECT_THAT(told_.front(), HasSubstr(" lines of a, "));
  EXPECT_THAT(told_.front(), HasSubstr(" lines of standard input"));
}

TEST_F(FittingTest, AQuestionThatIsTooLongItselfIsNotCut) {
  std::string long_question;
  for (int i = 0; i < 90; ++i) long_question += "why ";
  EXPECT_EQ(fault([&] { truncated(Question(long_question)); }),
            "the prompt has 90 tokens, 15 more than fit beside an answer of 25; shorten it; only "
            "files are cut; the model allows no larger context");
  EXPECT_THAT(fault([&] {
                truncated({long_question, about({{"a", lines(9)}}).attachments});
              }),
              HasSubstr("shorten it, even without its files"));
}

TEST_F(FittingTest, TheAnswerHasTheRoomThatItMayTake) {
  Question question("Why?");
  question.options.emplace().n_predict = 10;
  EXPECT_EQ(fitting_.room(question), 10);
  question.options->n_predict = 80;
  EXPECT_EQ(fitting_.room(question), 50);
  question.options->n_predict = -1;
  EXPECT_EQ(fitting_.room(question), 25);
}

}  // namespace
}  // namespace confab::app
