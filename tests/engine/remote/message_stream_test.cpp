// SPDX-License-Identifier: MIT
#include "engine/remote/message_stream.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

class Collector final : public MessageStream {
 public:
  std::string taken;

 private:
  void take(const Json& message, AnswerPart& /*part*/) override { taken += message.dump(); }
  void take_end(AnswerPart& part) override { part.text = "the end"; }
};

TEST(MessageStreamTest, NothingIsTakenBehindAnError) {
  Collector stream;
  AnswerPart part;
  stream.push("{\"a\":1}\n{\"b\":2}\n{\"error\":\"no\"}\n{\"c\":3}\n", part);
  stream.finish(part);
  EXPECT_EQ(stream.taken, R"({"a":1}{"b":2})");
  ASSERT_TRUE(stream.facts().error);
  EXPECT_EQ(stream.facts().error->message, "no");
  EXPECT_FALSE(stream.facts().is_whole);
  EXPECT_EQ(part.text, "the end");
}

TEST(MessageStreamTest, NothingIsTakenBehindTheEnd) {
  Collector stream;
  AnswerPart part;
  stream.push("{\"a\":1}\ndata:  [DONE] \n\n{\"b\":2}\n{\"error\":\"no\"}\n", part);
  EXPECT_EQ(stream.taken, R"({"a":1})");
  EXPECT_TRUE(stream.facts().is_whole);
  EXPECT_FALSE(stream.facts().error);
}

TEST(MessageStreamTest, WhatSaysNothingIsPassedOver) {
  Collector stream;
  AnswerPart part;
  stream.push("data: ping\n\ndata: {\"a\":-Infinity,\"error\":false}\n\ntrace: 7\n", part);
  stream.push("data: {\"error\":\"\"}\n\ndata: {\"error\":{}}\n\n", part);
  stream.push("data: {\"x\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}\n\n",
              part);
  stream.finish(part);
  EXPECT_EQ(stream.taken, R"({"a":null,"error":false}{"error":""}{"error":{}}null)");
  EXPECT_FALSE(stream.facts().error);
  EXPECT_EQ(stream.facts().odd, "ping");
}

}  // namespace
}  // namespace confab::engine
