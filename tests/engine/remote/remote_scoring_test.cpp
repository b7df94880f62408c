// SPDX-License-Identifier: MIT
#include "engine/remote/remote_scoring.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

TEST(RemoteScoringTest, AnOptionHasWhatAllItsFirstTokensHave) {
  const auto scores = scores_of({"yes", "no"}, {{"yes", std::log(0.5)},
                                                {" yes", std::log(0.2)},
                                                {"ye", std::log(0.1)},
                                                {"no", std::log(0.1)},
                                                {"maybe", std::log(0.05)},
                                                {"", std::log(0.01)}});
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_NEAR(std::exp(scores[0].log_p), 0.8, 1e-9);
  EXPECT_NEAR(std::exp(scores[1].log_p), 0.1, 1e-9);
}

TEST(RemoteScoringTest, AnOptionThatNoTokenBeginsIsAsGoodAsImpossible) {
  const auto scores = scores_of({"yes", "no"}, {{"yes", std::log(0.9)}});
  EXPECT_LT(std::exp(scores[1].log_p), 1e-8);
}

TEST(RemoteScoringTest, OptionsThatBeginAlikeAreRefused) {
  EXPECT_NE(error_of([] {
              scores_of({"north", "no"}, {{"no", -0.1}});
            }).find("name choices that begin differently"),
            std::string::npos);
}

TEST(RemoteScoringTest, ReadsWhatOpenAiAndOllamaSay) {
  const auto openai =
      chances_in(R"({"choices":[{"logprobs":{"content":[{"token":"a","top_logprobs":[)"
                 R"({"token":"a","logprob":-0.5},{"token":"b","logprob":-1},{"token":"c"}]}]}}]})");
  ASSERT_EQ(openai.size(), 2U);
  EXPECT_EQ(openai[1].text, "b");
  EXPECT_EQ(openai[1].log_p, -1);
  EXPECT_EQ(chances_in(R"({"logprobs":[{"top_logprobs":[{"token":"a","logprob":-2}]}]})").size(),
            1U);
  EXPECT_TRUE(chances_in(R"({"choices":[{"logprobs":null}]})").empty());
  EXPECT_TRUE(chances_in("no").empty());
}

TEST(RemoteScoringTest, AnEngineThatDoesNotTellFailsWithWhatToDo) {
  EventQueue queue;
  RemoteScoring scoring("work", {"a", "b"}, 5, AnswerEvents(queue, AnswerId{1}));
  scoring.head({.status = 200, .headers = {}});
  EXPECT_TRUE(scoring.body(R"({"choices":[{"message":{"content":"a"}}]})"));
  EXPECT_FALSE(scoring.end({}));
  scoring.stop();
  const auto event = queue.pop();
  EXPECT_NE(std::get<Failed>(event->event).message.find("decide with a model on this machine"),
            std::string::npos);
  EXPECT_FALSE(queue.pop());
}

}  // namespace
}  // namespace confab::engine
