// SPDX-License-Identifier: MIT
#include "app/line/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace confab::app {
namespace {

using engine::OptionScore;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

OptionScore score(std::vector<engine::Token> tokens, double p) {
  return {.tokens = std::move(tokens), .log_p = std::log(p)};
}

auto near(double p) {
  return DoubleNear(p, 1e-12);
}

TEST(DecisionTest, YesAndNoHaveTheSpellingsThatModelsUse) {
  const auto choices = choices_of({.yes_no = true});
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_EQ(choices[0].name, "yes");
  EXPECT_EQ(choices[1].name, "no");
  EXPECT_THAT(spellings_of(choices), ElementsAre("yes", "Yes", "YES", "no", "No", "NO"));
}

TEST(DecisionTest, ChoicesMayBeginWithACapitalUnlessThatIsAnother) {
  const auto choices = choices_of({.choices = {"bug", "us", "Us", "7up"}});
  EXPECT_THAT(choices[0].spellings, ElementsAre("bug", "Bug"));
  EXPECT_THAT(choices[1].spellings, ElementsAre("us"));
  EXPECT_THAT(choices[2].spellings, ElementsAre("Us"));
  EXPECT_THAT(choices[3].spellings, ElementsAre("7up"));
}

TEST(DecisionTest, TheQuestionSaysWhatToAnswerWith) {
  EXPECT_EQ(asked_for_choice("Is it?", {.yes_no = true}), "Is it?\n\nAnswer with yes or no only.");
  EXPECT_EQ(asked_for_choice("What?", {.choices = {"bug", "new feature"}}),
            "What?\n\nAnswer with one of these only: bug, new feature");
  EXPECT_THAT(asked_for_choice("What?", {.choices = {"Stay.", "Go, now."}}),
              HasSubstr("lines only:\nStay.\nGo, now."));
}

TEST(DecisionTest, SpellingsCountAsOne) {
  const std::vector<Choice> choices{{"yes", {"yes", "Yes"}}, {"no", {"no", "No"}}};
  const Verdict verdict = weigh(
      choices, std::vector{score({1}, 0.1), score({2}, 0.2), score({3}, 0.25), score({4}, 0.05)});
  EXPECT_THAT(verdict.probabilities, ElementsAre(near(0.5), near(0.5)));
  EXPECT_NEAR(verdict.coverage, 0.6, 1e-12);
}

// What begins like a longer one is not that.
TEST(DecisionTest, WhatGoesOnAsALongerOneIsThatOne) {
  const std::vector<Choice> choices{{"yes", {"yes"}}, {"yes, but", {"yes, but"}}, {"no", {"no"}}};
  const Verdict verdict =
      weigh(choices, std::vector{score({1}, 0.5), score({1, 2, 3}, 0.4), score({4}, 0.2)});
  EXPECT_EQ(verdict.best, 1U);
  EXPECT_THAT(verdict.probabilities,
              ElementsAre(near(0.1 / 0.7), near(0.4 / 0.7), near(0.2 / 0.7)));
  EXPECT_NEAR(verdict.coverage, 0.7, 1e-12);
  const std::vector<Choice> nested{{"a", {"a"}}, {"abc", {"abc"}}, {"ab", {"ab"}}, {"ad", {"ad"}}};
  const Verdict deep = weigh(nested, std::vector{score({1}, 0.8), score({1, 2, 3}, 0.1),
                                                 score({1, 2}, 0.3), score({1, 4}, 0.2)});
  EXPECT_THAT(deep.probabilities,
              ElementsAre(near(0.3 / 0.8), near(0.1 / 0.8), near(0.2 / 0.8), near(0.2 / 0.8)));
}

TEST(DecisionTest, TheSameTokensCountOnce) {
  const std::vector<Choice> choices{{"a", {"a", "a"}}, {"b", {"b"}}};
  const Verdict verdict =
      weigh(choices, std::vector{score({1}, 0.3), score({1}, 0.3), score({2}, 0.3)});
  EXPECT_THAT(verdict.probabilities, ElementsAre(near(0.5), near(0.5)));
}

TEST(DecisionTest, WhatIsFarTooUnlikelyToBeANumberIsStillCompared) {
  const std::vector<Choice> choices{{"a", {"a"}}, {"b", {"b"}}};
  const Verdict verdict = weigh(choices, std::vector{OptionScore{.tokens = {1}, .log_p = -5000},
                                                     OptionScore{.tokens = {2}, .log_p = -4998}});
  EXPECT_EQ(verdict.best, 1U);
  EXPECT_NEAR(verdict.probabilities[0], 1 / (1 + std::exp(2)), 1e-12);
  EXPECT_EQ(verdict.coverage, 0);
}

TEST(DecisionTest, WithoutAnyChanceNoneIsLikelier) {
  const std::vector<Choice> choices{{"a", {"a"}}, {"b", {"b"}}};
  const double none = -std::numeric_limits<double>::infinity();
  const Verdict verdict = weigh(choices, std::vector{OptionScore{.tokens = {1}, .log_p = none},
                                                     OptionScore{.tokens = {2}, .log_p = none}});
  EXPECT_THAT(verdict.probabilities, ElementsAre(0.5, 0.5));
}

}  // namespace
}  // namespace confab::app
