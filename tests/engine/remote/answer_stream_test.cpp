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

using Messages = std::vector<std::string>;

Messages read(std::string_view text) {
  EventStream stream;
  Messages messages;
  stream.push(text, messages);
  EXPECT_EQ(stream.fault(), "");
  stream.finish(messages);
  return messages;
}

TEST(EventStreamTest, DataOfAnEventIsJoinedAndAllElseIsLeftOut) {
  EXPECT_EQ(read("data: a\n\n"), (Messages{"a"}));
  EXPECT_EQ(read(": note\nevent: x\ndata:a\nid: 1\ndata: b\n\n"), (Messages{"a\nb"}));
  EXPECT_EQ(read("data:  a\r\n\r\ndata: b\r\rdata: c"), (Messages{" a", "b", "c"}));
  EXPECT_EQ(read("\n\n\ndata:\n\nretry\nevent\n\n"), Messages{});
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "data: a\n\n"),
            (Messages{"a"}));
}

TEST(EventStreamTest, ObjectsAreMessagesHoweverTheyAreLaidOut) {
  EXPECT_EQ(read("{\"a\":1}\n\n  \n{}\r\n{\"b\""), (Messages{"{\"a\":1}", "{}"}));
  EXPECT_EQ(read("{\"a\":1}{\"b\":2}"), (Messages{"{\"a\":1}", "{\"b\":2}"}));
  EXPECT_EQ(read("\xEF\xBB\xBF {\n \"a\": [\n {\"}\\\"\": 1}\n]\n}\n"),
            (Messages{"{\n \"a\": [\n {\"}\\\"\": 1}\n]\n}"}));
  EXPECT_EQ(read("data: a\n{\"b\":\"\\\\\"}\ndata: c\n\n"),
            (Messages{"a", "{\"b\":\"\\\\\"}", "c"}));
}

TEST(EventStreamTest, AMessageHasAMostLength) {
  for (const char* begin : {"data: ", "{\"", "x"}) {
    EventStream stream;
    Messages messages;
    stream.push(begin, messages);
    const std::string lots(EventStream::kMostBytes - std::string_view(begin).size(), 'x');
    stream.push(lots, messages);
    EXPECT_EQ(stream.fault(), "");
    stream.push("x", messages);
    EXPECT_EQ(stream.fault(), "it sent a message of more than 16 MiB");
  }
}

TEST(EventStreamTest, AFieldThatTheStandardDoesNotKnowIsIgnored) {
  EventStream stream;
  Messages messages;
  stream.push("data: a\n\ndatum: b\n\ndata: c\n\n", messages);
  EXPECT_EQ(stream.fault(), "");
  EXPECT_EQ(stream.odd(), "datum: b");
  EXPECT_EQ(messages, (Messages{"a", "c"}));
}

TEST(EventStreamTest, HalfALineAtTheEndIsNoFault) {
  EXPECT_EQ(read("data: a\n\nda"), (Messages{"a"}));
}

}  // namespace
}  // namespace confab::engine
