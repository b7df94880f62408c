// SPDX-License-Identifier: MIT
#include "engine/remote/remote_scoring.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

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
  RemoteScoring scoring("work", {"a", "b"}, 5, {}, AnswerEvents(queue, AnswerId{1}));
  scoring.head({.status = 200, .headers = {}});
  EXPECT_TRUE(scoring.body(R"({"choices":[{"message":{"content":"a"}}]})"));
  EXPECT_FALSE(scoring.end({}));
  scoring.stop();
  const auto event = queue.pop();
  EXPECT_NE(std::get<Failed>(event->event).message.find("decide with a model on this machine"),
            std::string::npos);
  EXPECT_FALSE(queue.pop());
}

std::string with_chances(const std::vector<TokenChance>& chances) {
  std::string top;
  for (const TokenChance& chance : chances)
    top += fmt::format("{}{{\"token\":\"{}\",\"logprob\":{}}}", top.empty() ? "" : ",", chance.text,
                       chance.log_p);
  return "{\"choices\":[{\"logprobs\":{\"content\":[{\"top_logprobs\":[" + top + "]}]}}]}";
}

TEST(RemoteScoringTest, AsksAgainBehindWhatOptionsHaveInCommon) {
  EventQueue queue;
  std::vector<std::string> asked;
  const auto ask = [&](const std::string& beginning) {
    asked.push_back(beginning);
    return HttpRequest{.url = "http://h", .body = beginning};
  };
  RemoteScoring scoring("work", {"north", "no"}, 5, ask, AnswerEvents(queue, AnswerId{1}));
  scoring.head({.status = 200, .headers = {}});
  scoring.body(with_chances({{"no", std::log(0.8)}, {"yes", std::log(0.2)}}));
  const auto again = scoring.end({});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->body, "no");
  EXPECT_FALSE(queue.pop()) << "nothing is known yet";
  scoring.head({.status = 200, .headers = {}});
  scoring.body(with_chances({{"rth", std::log(0.25)}, {".", std::log(0.5)}}));
  EXPECT_FALSE(scoring.end({}));
  EXPECT_EQ(asked, std::vector<std::string>{"no"});
  const auto scored = std::get<Scored>(queue.pop()->event);
  EXPECT_NEAR(std::exp(scored.options.at(0).log_p), 0.2, 1e-9);
  EXPECT_NEAR(std::exp(scored.options.at(1).log_p), 0.6, 1e-9);
  EXPECT_EQ(scored.stats.n_passes, 2);
}

TEST(RemoteScoringTest, WhereNoChoiceIsLikelyNoneIsMadeUp) {
  EventQueue queue;
  RemoteScoring scoring("work", {"north", "south"}, 5, {}, AnswerEvents(queue, AnswerId{1}));
  scoring.head({.status = 200, .headers = {}});
  scoring.body(with_chances({{"I", -0.1}, {"The", -3}}));
  EXPECT_FALSE(scoring.end({}));
  EXPECT_NE(std::get<Failed>(queue.pop()->event).message.find("none of the choices is among"),
            std::string::npos);
}

TEST(RemoteScoringTest, WhereItCannotAskAgainItSaysWhatToDo) {
  EventQueue queue;
  RemoteScoring scoring("work", {"north", "no"}, 5, {}, AnswerEvents(queue, AnswerId{1}));
  scoring.head({.status = 200, .headers = {}});
  scoring.body(with_chances({{"no", -0.1}}));
  EXPECT_FALSE(scoring.end({}));
  EXPECT_EQ(
      std::get<Failed>(queue.pop()->event).message,
      "work: it tells only how likely the first token is, and 'north' and 'no' begin with the "
      "same one; name choices that begin differently");
}

std::vector<double> p_of(const OptionSearch& search) {
  std::vector<double> p;
  for (const OptionScore& score : search.scores()) p.push_back(std::exp(score.log_p));
  return p;
}

TEST(OptionSearchTest, AnOptionHasWhatAllItsFirstTokensHave) {
  OptionSearch search({"yes", "no"});
  EXPECT_EQ(search.next(), "");
  search.take({{"yes", std::log(0.5)},
               {" yes", std::log(0.2)},
               {"ye", std::log(0.1)},
               {"no", std::log(0.1)},
               {"maybe", std::log(0.05)},
               {"", std::log(0.01)}});
  EXPECT_EQ(search.next(), std::nullopt);
  EXPECT_NEAR(p_of(search)[0], 0.8, 1e-9);
  EXPECT_NEAR(p_of(search)[1], 0.1, 1e-9);
}

TEST(OptionSearchTest, AnOptionThatNoTokenBeginsIsAsGoodAsImpossible) {
  OptionSearch search({"yes", "no"});
  search.take({{"yes", std::log(0.9)}});
  EXPECT_LT(p_of(search)[1], 1e-8);
}

// In a made-up language: a model whose tokens are random pieces, against what its trees say.
TEST(OptionSearchTest, FindsWhatTheModelBelievesHoweverOptionsBeginAlike) {
  std::mt19937 rng(20261125);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> options;
    for (int i = 0; i < 5; ++i) {
      std::string option;
      for (auto n = 1 + rng() % 4; n > 0; --n) option += "abc"[rng() % 3];
      if (std::find(options.begin(), options.end(), option) == options.end())
        options.push_back(option);
    }
    // Each letter is a token, as likely as the other two behind whatever there is; the rest of the
    // probability ends the answer.
    constexpr double kLetter = 0.3;
    OptionSearch search(options);
    while (search.next())
      search.take({{"a", std::log(kLetter)}, {"b", std::log(kLetter)}, {"c", std::log(kLetter)}});
    const auto is_shared = [&](const std::string& beginning) {
      return std::count_if(options.begin(), options.end(), [&](const std::string& option) {
               return option.starts_with(beginning);
             }) > 1;
    };
    for (std::size_t i = 0; i < options.size(); ++i) {
      double p = 1;  // of the first letters that no other option has
      std::size_t n = 0;
      do {
        p *= kLetter;
        ++n;
      } while (n < options[i].size() && is_shared(options[i].substr(0, n)));
      if (is_shared(options[i])) {  // others go on from it
        double p_others = 0;
        for (const char letter : {'a', 'b', 'c'})
          for (const std::string& other : options)
            if (other.starts_with(options[i] + letter)) {
              p_others += kLetter;
              break;
            }
        p *= 1 - p_others;
      }
      EXPECT_NEAR(p_of(search)[i], p, 1e-9) << options[i] << " in round " << round;
    }
  }
}

// Who weighs them takes those with the same tokens for one and the same.
TEST(OptionSearchTest, EachOptionIsToldFromTheOthers) {
  OptionSearch search({"yes", "yes!", "no"});
  while (search.next()) search.take({{"yes", -1}, {"no", -2}, {"!", -1}});
  const auto scores = search.scores();
  EXPECT_NE(scores[0].tokens, scores[1].tokens);
  EXPECT_NE(scores[1].tokens, scores[2].tokens);
  EXPECT_TRUE(search.has_found());
  OptionSearch nothing({"yes", "no"});
  nothing.take({{"I", -0.1}});
  EXPECT_FALSE(nothing.has_found());
}

TEST(OptionSearchTest, WhatIsTooLikeIsRefused) {
  OptionSearch search({std::string(50, 'a') + "b", std::string(50, 'a') + "c"});
  EXPECT_NE(error_of([&] {
              while (search.next()) search.take({{"a", -0.01}});
            }).find("begin alike for too long"),
            std::string::npos);
}

TEST(OptionSearchTest, WhatIsAsGoodAsImpossibleIsNotLookedBehind) {
  OptionSearch search({"north", "no", "yes"});
  search.take({{"no", std::log(1e-7)}, {"yes", std::log(0.9)}});
  EXPECT_EQ(search.next(), std::nullopt);
}

}  // namespace
}  // namespace confab::engine
