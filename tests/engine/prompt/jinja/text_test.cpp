// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string_view>

namespace confab::engine::jinja {
namespace {

TEST(Text, CutsAndJoinsMarks) {
  Text text("ab");
  text.append(Text("cd", 3));
  text.append(Text("ef", 3));
  text.append("gh");
  EXPECT_THAT(text.marks(), testing::ElementsAre(Mark{2, 6, 3}));
  EXPECT_THAT(text.slice(3, 7).marks(), testing::ElementsAre(Mark{0, 3, 3}));
  EXPECT_TRUE(text.slice(0, 2).marks().empty());
  EXPECT_TRUE(text.slice(6, 8).marks().empty());
  EXPECT_EQ(text.slice(1, 3).view(), "bc");
}

TEST(Text, KeepsSourcesApart) {
  Text text("a", 0);
  text.append(Text("b", 1));
  text.append(Text("", 2));
  EXPECT_THAT(text.marks(), testing::ElementsAre(Mark{0, 1, 0}, Mark{1, 2, 1}));
  EXPECT_EQ(text.source(), kElsewhere);
  EXPECT_EQ(text.slice(1, 2).source(), 1);
  EXPECT_EQ(Text("x").source(), std::nullopt);
}

TEST(Text, FindsBytes) {
  EXPECT_EQ(find("abcabc", "c"), 2U);
  EXPECT_EQ(find("abcabc", "c", 3), 5U);
  EXPECT_EQ(find("abc", "x"), std::string_view::npos);
  EXPECT_EQ(find("abc", "", 3), 3U);
  EXPECT_EQ(find("abc", "a", 4), std::string_view::npos);
}

}  // namespace
}  // namespace confab::engine::jinja
