// SPDX-License-Identifier: MIT
#include "ui/span_writer.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

TEST(SpanWriterTest, JoinsNeighboursOfOneRole) {
  SpanWriter out("int x;");
  out.put(3, Role::code_type);
  out.put(4, Role::code_block);
  out.put(6, Role::code_block);
  const std::vector<Span> spans = out.take();
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0], (Span{"int", {.role = Role::code_type}}));
  EXPECT_EQ(spans[1], (Span{" x;", {.role = Role::code_block}}));
}

TEST(SpanWriterTest, LeavesOutWhatIsEmpty) {
  SpanWriter out("ab");
  out.put(0, Role::code_type);
  out.put(2, Role::code_block);
  out.put(1, Role::code_string);
  EXPECT_EQ(out.take().size(), 1U);
  EXPECT_TRUE(SpanWriter("").take().empty());
}

}  // namespace
}  // namespace confab::ui
