// SPDX-License-Identifier: MIT
#include "engine/remote/message_stream.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace confab::engine {
namespace {

class Collector final : public MessageStream {
 public:
  Collector() : MessageStream(EventStream::Form::lines) {}
  std::string taken;

 private:
  void take(const Json& message, AnswerPart& /*part*/) override { taken += message.dump(); }
  void take_end(AnswerPart& part) override { part.text = "the end"; }
};

TEST(MessageStreamTest, NothingIsTakenBehindAnError) {
  Collector stream;
  AnswerPart part;
  stream.push("{\"a\":1}\n[DONE]\n{\"b\":2}\n{\"error\":\"no\"}\n{\"c\":3}\n", part);
  stream.finish(part);
  EXPECT_EQ(stream.taken, R"({"a":1}{"b":2})");
  ASSERT_TRUE(stream.facts().error);
  EXPECT_EQ(stream.facts().error->message, "no");
  EXPECT_TRUE(stream.facts().is_whole);
  EXPECT_EQ(part.text, "the end");
}

}  // namespace
}  // namespace confab::engine
