// SPDX-License-Identifier: MIT
#include "sessions/conversations/attachment.h"

#include <gtest/gtest.h>

namespace confab::sessions {
namespace {

TEST(AttachmentTest, SizeAndHashAreOfTheContent) {
  const Attachment a = make_attachment("a.md", "hello");
  EXPECT_EQ(a.name, "a.md");
  EXPECT_EQ(a.size_bytes, 5u);
  EXPECT_EQ(a.content, "hello");
  EXPECT_EQ(a.content_hash, content_hash("hello"));
}

TEST(AttachmentTest, HashesTellVersionsApart) {
  EXPECT_EQ(content_hash("").size(), 32u);
  EXPECT_EQ(content_hash(""), "99aa06d3014798d86001c324468d497f");  // XXH3-128 of nothing
  EXPECT_NE(content_hash("a"), content_hash("b"));
}

}  // namespace
}  // namespace confab::sessions
