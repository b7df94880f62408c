// SPDX-License-Identifier: MIT
// More in remote_answer_test.cpp, which has streams of all engines.
#include "engine/remote/answer_stream.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

TEST(OpenAiProtocolTest, ReasoningTextAndFactsAreToldApart) {
  const auto stream = openai_stream();
  AnswerPart part;
  stream->push(
      "data: {\"choices\":[{\"delta\":{\"reasoning\":\"Hm\",\"content\":\"Yes\"},"
      "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3}}\n\n",
      part);
  EXPECT_EQ(part.reasoning, "Hm");
  EXPECT_EQ(part.text, "Yes");
  EXPECT_EQ(part.n_pieces, 2);
  EXPECT_EQ(stream->facts().finish, "stop");
  EXPECT_EQ(stream->facts().usage.n_prompt, 3);
  EXPECT_FALSE(stream->facts().is_whole);
}

TEST(OllamaProtocolTest, DurationsAreNanoseconds) {
  const auto stream = ollama_stream();
  AnswerPart part;
  stream->push(
      "{\"message\":{\"content\":\"Yes\"},\"done\":true,\"eval_count\":4,"
      "\"eval_duration\":2000000000}\n",
      part);
  EXPECT_EQ(part.text, "Yes");
  EXPECT_EQ(stream->facts().usage.n_generated, 4);
  EXPECT_DOUBLE_EQ(stream->facts().usage.decode.count(), 2.0);
  EXPECT_TRUE(stream->facts().is_whole);
}

}  // namespace
}  // namespace confab::engine
