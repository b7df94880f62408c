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
  EXPECT_TRUE(stream.push(text, messages));
  stream.finish(messages);
  return messages;
}

TEST(EventStreamTest, DataOfAnEventIsJoinedAndAllElseIsLeftOut) {
  EXPECT_EQ(read(Form::events, "data: a\n\n"), (Messages{"a"}));
  EXPECT_EQ(read(Form::events, ": note\nevent: x\ndata:a\nid: 1\ndata: b\n\n"), (Messages{"a\nb"}));
  EXPECT_EQ(read(Form::events, "data:  a\r\n\r\ndata: b\r\rdata: c"), (Messages{" a", "b", "c"}));
  EXPECT_EQ(read(Form::events, "\n\n\ndata:\n\ndatum: a\n\n"), Messages{});
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
  EXPECT_TRUE(stream.push(lots, messages));
  EXPECT_FALSE(stream.push("x", messages));
}

}  // namespace
}  // namespace confab::engine
