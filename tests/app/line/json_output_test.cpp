// SPDX-License-Identifier: MIT
#include "app/line/answer_output.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/app/line/written.h"

namespace confab::app {
namespace {

AnswerOutcome outcome(AnswerEnd end, int n_generated = 2) {
  AnswerOutcome ended{.end = end};
  ended.stats.n_prompt = 10;
  ended.stats.n_generated = n_generated;
  return ended;
}

TEST(JsonOutputTest, OneAnswerIsOneObject) {
  Written written;
  JsonOutput output(written.out);
  output.begin("a \"model\"\xff", 1);
  output.reasoning(0, "hm, ");
  output.reasoning(0, "yes");
  output.text(0, "Hello\n");
  output.text(0, "\u00e9");
  EXPECT_EQ(written.answer(), "") << "until all is known";
  output.ended(0, outcome(AnswerEnd::length));
  EXPECT_EQ(output.finish(ExitStatus::cut_off), ExitStatus::cut_off);
  EXPECT_EQ(std::ranges::count(written.answer(), '\n'), 1);
  const auto object = nlohmann::json::parse(written.answer());
  EXPECT_EQ(object.at("model"), "a \"model\"\uFFFD");
  EXPECT_EQ(object.at("answer"), "Hello\n\u00e9");
  EXPECT_EQ(object.at("reasoning"), "hm, yes");
  EXPECT_EQ(object.at("finish_reason"), "length");
  EXPECT_EQ(object.at("statistics").at("prompt_tokens"), 10);
  EXPECT_FALSE(object.contains("error") || object.contains("answers"));
}

TEST(JsonOutputTest, TextThatIsTakenBackIsReasoning) {
  Written written;
  JsonOutput output(written.out);
  output.begin("m", 1);
  output.text(0, "Hm");
  output.take_back(0);
  output.reasoning(0, " so.");
  output.text(0, "Yes.");
  output.ended(0, outcome(AnswerEnd::finished));
  output.finish(ExitStatus::success);
  const auto object = nlohmann::json::parse(written.answer());
  EXPECT_EQ(object.at("answer"), "Yes.");
  EXPECT_EQ(object.at("reasoning"), "Hm so.");
}

TEST(JsonOutputTest, SeveralAreAnArray) {
  Written written;
  JsonOutput output(written.out);
  output.begin("m", 2);
  output.text(1, "two");
  output.text(0, "one");
  output.ended(1, outcome(AnswerEnd::finished));
  AnswerOutcome failed{.end = AnswerEnd::failed, .fault = "no memory"};
  output.ended(0, failed);
  output.finish(ExitStatus::failed);
  const auto object = nlohmann::json::parse(written.answer());
  EXPECT_FALSE(object.contains("answer"));
  ASSERT_EQ(object.at("answers").size(), 2U);
  EXPECT_EQ(object["answers"][0].at("answer"), "one");
  EXPECT_EQ(object["answers"][0].at("finish_reason"), "error");
  EXPECT_EQ(object["answers"][0].at("error"), "no memory");
  EXPECT_FALSE(object["answers"][0].contains("statistics"));
  EXPECT_EQ(object["answers"][1].at("answer"), "two");
  EXPECT_EQ(object["answers"][1].at("finish_reason"), "stop");
}

TEST(JsonEventsOutputTest, EachThingIsALineAtOnce) {
  Written written;
  JsonEventsOutput output(written.out);
  EXPECT_FALSE(output.in_turn());
  std::size_t n_lines = 0;
  const auto has_come = [&](const std::string& line) {
    std::istringstream all(written.answer());
    std::string last;
    std::size_t n = 0;
    for (std::string each; std::getline(all, each); ++n) last = each;
    EXPECT_EQ(n, ++n_lines);
    EXPECT_EQ(last, line);
  };
  output.asked_pieces(1, 3);
  has_come(R"({"type":"pieces","pieces":3,"done":1})");
  output.begin("m", 2);
  has_come(R"({"type":"begin","model":"m","answers":2})");
  output.prefilled(0, {.n_done = 4, .n_prompt = 9, .n_cached = 2});
  has_come(R"({"type":"prompt","index":0,"tokens":9,"done":4,"cached":2})");
  output.reasoning(1, "hm");
  has_come(R"({"type":"reasoning","index":1,"text":"hm"})");
  output.text(1, "a\nb");
  has_come(R"({"type":"text","index":1,"text":"a\nb"})");
  output.text(1, "");
  output.reasoning(1, "");
  output.ended(1, {.end = AnswerEnd::failed, .fault = "no memory"});
  has_come(R"({"type":"end","index":1,"finish_reason":"error","error":"no memory"})");
  output.ended(0, outcome(AnswerEnd::stopped));
  EXPECT_EQ(nlohmann::json::parse(written.answer().substr(written.answer().rfind("{\"type")))
                .at("finish_reason"),
            "interrupted");
  EXPECT_EQ(output.finish(ExitStatus::failed), ExitStatus::failed);
}

TEST(StatsJsonTest, IsOneLine) {
  engine::GenerateStats stats;
  stats.n_cached = 7;
  const std::string line = stats_json(stats);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(line).at("cached_tokens"), 7);
  EXPECT_GT(nlohmann::json::parse(line).at("memory_anonymous_bytes"), 1 << 20);
  EXPECT_GT(nlohmann::json::parse(line).at("memory_mapped_bytes"), 1 << 20);
  EXPECT_GT(nlohmann::json::parse(line).at("memory_peak_bytes"), 2 << 20);
}

}  // namespace
}  // namespace confab::app
