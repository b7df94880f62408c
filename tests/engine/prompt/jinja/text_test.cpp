// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
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

// All texts of two letters: whatever the needle's own repetitions are.
TEST(Text, FindsTheFirstAndTheLastPlace) {
  for (const std::size_t scale : {std::size_t{1}, std::size_t{100}}) {
    for (unsigned bits = 0; bits < 4096; ++bits) {
      if (scale > 1 && bits % 61 != 0) continue;
      std::string text, needle;
      for (unsigned i = 0; i < 8; ++i)
        text += std::string(scale, (bits >> i & 1U) != 0 ? 'a' : 'b');
      for (unsigned i = 8; i < 12; ++i)
        needle += std::string(scale, (bits >> i & 1U) != 0 ? 'a' : 'b');
      EXPECT_EQ(jinja::find(text, needle), text.find(needle)) << text << " " << needle;
      EXPECT_EQ(jinja::find(text, needle, scale), text.find(needle, scale))
          << text << " " << needle;
      EXPECT_EQ(find_last(text, needle), text.rfind(needle)) << text << " " << needle;
    }
  }
  EXPECT_EQ(find_last("abcabc", "c"), 5U);
  EXPECT_EQ(find_last("abc", "x"), std::string_view::npos);
  EXPECT_EQ(find_last("abc", "abcd"), std::string_view::npos);
  EXPECT_EQ(find_last("abc", ""), 3U);
}

TEST(Text, IsFoundInLinearTime) {
  const std::string many(4'000'000, 'a');
  const std::string_view half = std::string_view(many).substr(0, 2'000'000);
  EXPECT_EQ(jinja::find(many, std::string(half) + "b"), std::string_view::npos);
  EXPECT_EQ(find_last(many, "b" + std::string(half)), std::string_view::npos);
  EXPECT_EQ(find_last(many, half), 2'000'000U);
}

TEST(Text, IsRepeatedWithItsMarks) {
  Text text("a", 0);
  text.append("b");
  for (std::size_t n = 0; n < 20; ++n) {
    const Text repeated = repeat(text, n);
    EXPECT_EQ(repeated.size(), 2 * n);
    ASSERT_EQ(repeated.marks().size(), n);
    if (n == 0) continue;
    EXPECT_EQ(repeated.marks().back(), (Mark{2 * n - 2, 2 * n - 1, 0}));
  }
}

}  // namespace
}  // namespace confab::engine::jinja
