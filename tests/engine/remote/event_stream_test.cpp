// SPDX-License-Identifier: MIT
#include "engine/remote/event_stream.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

using Form = EventStream::Form;
using Messages = std::vector<std::string>;

Messages read(Form form, std::string_view text) {
  EventStream stream(form);
  Messages messages;
  stream.push(text, messages);
  EXPECT_EQ(stream.fault(), "");
  stream.finish(messages);
  return messages;
}

TEST(EventStreamTest, DataOfAnEventIsJoinedAndAllElseIsLeftOut) {
  EXPECT_EQ(read(Form::events, "data: a\n\n"), (Messages{"a"}));
  EXPECT_EQ(read(Form::events, ": note\nevent: x\ndata:a\nid: 1\ndata: b\n\n"), (Messages{"a\nb"}));
  EXPECT_EQ(read(Form::events, "data:  a\r\n\r\ndata: b\r\rdata: c"), (Messages{" a", "b", "c"}));
  EXPECT_EQ(read(Form::events, "\n\n\ndata:\n\nretry\nevent\n\n"), Messages{});
  EXPECT_EQ(read(Form::events,
                 "\xEF\xBB\xBF"
                 "data: a\n\n"),
            (Messages{"a"}));
}

TEST(EventStreamTest, LinesAreMessagesWhereThatIsTheForm) {
  EXPECT_EQ(read(Form::lines, "{\"a\":1}\n\n  \n{}\r\n{\"b\""),
            (Messages{"{\"a\":1}", "{}", "{\"b\""}));
}

TEST(EventStreamTest, AMessageHasAMostLength) {
  EventStream stream(Form::lines);
  Messages messages;
  const std::string lots(EventStream::kMostBytes, 'x');
  stream.push(lots, messages);
  EXPECT_EQ(stream.fault(), "");
  stream.push("x", messages);
  EXPECT_EQ(stream.fault(), "it sent a message of more than 16 MiB");
}

TEST(EventStreamTest, ALineThatIsNoFieldIsAFault) {
  EventStream stream(Form::events);
  Messages messages;
  stream.push("data: a\n\ndatum: b\n\ndata: c\n\n", messages);
  EXPECT_EQ(stream.fault(), "it sent what is not an event: datum: b");
  stream.finish(messages);
  EXPECT_EQ(messages, (Messages{"a"}));
}

TEST(EventStreamTest, HalfALineAtTheEndIsNoFault) {
  EXPECT_EQ(read(Form::events, "data: a\n\nda"), (Messages{"a"}));
}

}  // namespace
}  // namespace confab::engine
