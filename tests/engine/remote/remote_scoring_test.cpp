// SPDX-License-Identifier: MIT
#include "engine/remote/remote_scoring.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace confab::engine
