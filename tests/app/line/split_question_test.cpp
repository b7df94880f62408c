// SPDX-License-Identifier: MIT
#include "app/line/fitting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/chat/chat.h"
#include "app/error.h"
#include "tests/app/line/word_model.h"

namespace confab::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class SplitQuestionTest : public testing::Test {
 protected:
  static Question about(const std::string& text, const std::string& question = "How many lines?") {
    return {question, {sessions::make_attachment("a.txt", text)}};
  }
  std::optional<Question> reduce(const Question& question) {
    const auto told = [this](std::size_t n_done, std::size_t n) {
      told_.push_back(std::to_string(n_done) + "/" + std::to_string(n));
    };
    return SplitQuestion(
               model_, chat_, [this] { return goes_on_; }, told)
        .reduce(question);
  }
  std::string asked(std::size_t i) const { return model_.requests[i].turns.back().message.content; }
  std::string fault(const Question& question) {
    try {
      reduce(question);
    } catch (const UserError& error) {
      return error.what();
    }
    return "none";
  }

  WordModel model_{200};
  Chat chat_{model_, nullptr, {}};
  bool goes_on_ = true;
  std::vector<std::string> told_;
};

TEST_F(SplitQuestionTest, WhatFitsIsNotSplit) {
  EXPECT_EQ(reduce(about(lines(20))), about(lines(20)));
  EXPECT_TRUE(model_.requests.empty());
}

TEST_F(SplitQuestionTest, PiecesAreAskedAndTheirAnswersAreLeftToMerge) {
  model_.answer = [](const std::string& asked) {
    return "from " + asked.substr(asked.find("line "), 7);
  };
  const auto merged = reduce(about(lines(120)));
  ASSERT_TRUE(merged);
  ASSERT_EQ(model_.requests.size(), 3U);
  EXPECT_THAT(asked(0), StartsWith("a.txt (lines 1 to "));
  EXPECT_THAT(asked(0), HasSubstr("How many lines?\n\n(The text above is part 1 of 3 of a longer"));
  EXPECT_THAT(asked(2), HasSubstr("line 120\n"));
  ASSERT_EQ(merged->attachments.size(), 3U);
  EXPECT_THAT(merged->attachments[0].name, StartsWith("Answer for part 1 (a.txt (lines 1 to "));
  EXPECT_EQ(merged->attachments[0].content, "from line 1\n");
  EXPECT_THAT(merged->text, StartsWith("How many lines?\n\n(The text was too long"));
  EXPECT_THAT(told_, ElementsAre("0/3", "1/3", "2/3", "3/3"));
}

// Every line is in one piece, and a piece leaves room for its answer.
TEST_F(SplitQuestionTest, NoLineIsLostAndEachPieceFits) {
  reduce(about(lines(300)));
  std::string all;
  for (std::size_t i = 0; i < model_.requests.size(); ++i) {
    EXPECT_LE(model_.count_tokens(model_.requests[i].turns, {}) + model_.requests[i].n_predict,
              200);
    all += asked(i);
  }
  for (int i = 1; i <= 300; ++i) {
    const std::string line = "\nline " + std::to_string(i) + "\n";
    EXPECT_NE(all.find(line), std::string::npos) << line;
  }
}

TEST_F(SplitQuestionTest, AnswersThatAreTooLongTogetherMakeAnotherRound) {
  model_.answer = [](const std::string&) {
    std::string text;
    for (int i = 0; i < 50; ++i) text += "word\n";
    return text;
  };
  const auto merged = reduce(about(lines(400)));
  ASSERT_TRUE(merged);
  EXPECT_TRUE(Fitting(model_, chat_).fits_with_answer(*merged));
  EXPECT_GT(std::ranges::count_if(told_, [](const auto& t) { return t.starts_with("0/"); }), 1);
  EXPECT_THAT(merged->text, StartsWith("How many lines?\n\n(The text was too long"));
}

TEST_F(SplitQuestionTest, AnswersThatStayTooLongAreAnError) {
  model_.answer = [](const std::string&) {
    std::string text;
    for (int i = 0; i < 140; ++i) text += "word\n";
    return text;
  };
  EXPECT_EQ(fault(about(lines(400))),
            "the answers for the pieces of the text stay too long to be merged");
}

TEST_F(SplitQuestionTest, ReasoningLeavesRoomForTheAnswer) {
  reduce(about(lines(120)));
  EXPECT_EQ(model_.requests[0].reasoning_budget, model_.requests[0].n_predict / 2);
}

TEST_F(SplitQuestionTest, GivenUpNothingIsLeftRunning) {
  goes_on_ = false;
  EXPECT_FALSE(reduce(about(lines(300))));
  EXPECT_EQ(model_.cancelled.size(), model_.requests.size());
}

TEST_F(SplitQuestionTest, WhatPiecesDoNotHelpIsTold) {
  EXPECT_THAT(fault(Question(lines(200))), HasSubstr("only files and piped text are split"));
  std::string long_question;
  for (int i = 0; i < 160; ++i) long_question += "why ";
  EXPECT_THAT(fault(about(lines(100), long_question)),
              HasSubstr("which leaves no room for pieces of the text; shorten it"));
  EXPECT_TRUE(model_.requests.empty()) << "nothing has been computed";
}

}  // namespace
}  // namespace confab::app
