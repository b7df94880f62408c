// SPDX-License-Identifier: MIT
#include "app/batch/batch.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace confab::app {
namespace {

using nlohmann::json;

const BatchEntry kOwn{.line = 3, .id = "\"a\\nb\""};
const BatchEntry kNameless{.line = 4};
const BatchEntry kOpenAi{.line = 5, .id = "\"req\"", .openai = true};

BatchAnswer answer() {
  return {.text = "Yes.\nYes!",
          .reasoning = "Hm.",
          .reason = engine::FinishReason::end_of_turn,
          .stats = {.n_prompt = 10, .n_cached = 4, .n_generated = 3}};
}

TEST(BatchAnswerTest, OwnRequestsHaveAnAnswerInALine) {
  const std::string line = answer_line(kOwn, answer(), "m", 1);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(json::parse(line), json::parse(R"({"line": 3, "id": "a\nb", "answer": "Yes.\nYes!",
      "reasoning": "Hm.", "finish_reason": "stop", "statistics": {"prompt_tokens": 10,
      "cached_tokens": 4, "generated_tokens": 3}})"));
  BatchAnswer cut = answer();
  cut.reasoning.clear();
  cut.reason = engine::FinishReason::length;
  const json nameless = json::parse(answer_line(kNameless, cut, "m", 1));
  EXPECT_FALSE(nameless.contains("id"));
  EXPECT_FALSE(nameless.contains("reasoning"));
  EXPECT_EQ(nameless["finish_reason"], "length");
}

TEST(BatchAnswerTest, OpenAisRequestsHaveAnAnswerInItsFormat) {
  const json line = json::parse(answer_line(kOpenAi, answer(), "m", 1234));
  EXPECT_EQ(line["custom_id"], "req");
  EXPECT_TRUE(line["error"].is_null());
  EXPECT_EQ(line["response"]["status_code"], 200);
  const json& body = line["response"]["body"];
  EXPECT_EQ(body["object"], "chat.completion");
  EXPECT_EQ(body["created"], 1234);
  EXPECT_EQ(body["model"], "m");
  ASSERT_EQ(body["choices"].size(), 1U);
  EXPECT_EQ(body["choices"][0]["index"], 0);
  EXPECT_EQ(body["choices"][0]["message"]["role"], "assistant");
  EXPECT_EQ(body["choices"][0]["message"]["content"], "Yes.\nYes!");
  EXPECT_EQ(body["choices"][0]["message"]["reasoning_content"], "Hm.");
  EXPECT_EQ(body["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(body["usage"]["prompt_tokens"], 10);
  EXPECT_EQ(body["usage"]["completion_tokens"], 3);
  EXPECT_EQ(body["usage"]["total_tokens"], 13);
  EXPECT_EQ(body["usage"]["prompt_tokens_details"]["cached_tokens"], 4);
}

TEST(BatchAnswerTest, ErrorsAreOfTheirLine) {
  EXPECT_EQ(error_line(kOwn, "bad"), R"({"line":3,"id":"a\nb","error":"bad"})");
  EXPECT_EQ(error_line(kNameless, "bad"), R"({"line":4,"error":"bad"})");
  const json line = json::parse(error_line(kOpenAi, "bad"));
  EXPECT_EQ(line["custom_id"], "req");
  EXPECT_TRUE(line["response"].is_null());
  EXPECT_EQ(line["error"]["message"], "bad");
}

TEST(BatchAnswerTest, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(json::parse(error_line(kNameless, "a\xFF"))["error"], "a\uFFFD");
}

}  // namespace
}  // namespace confab::app
