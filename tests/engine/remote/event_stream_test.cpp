// SPDX-License-Identifier: MIT
#include "engine/remote/event_stream.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

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
