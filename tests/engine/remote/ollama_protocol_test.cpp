// SPDX-License-Identifier: MIT
// More in remote_answer_test.cpp, which has streams of all engines.
#include "engine/remote/ollama_protocol.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

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
