// SPDX-License-Identifier: MIT
#include "ui/find_text.h"

#include <gtest/gtest.h>

#include <string>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

std::vector<Line> lines(const std::vector<std::string>& texts) {
  std::vector<Line> out;
  for (const std::string& text : texts) out.push_back({{{text, {}}}});
  return out;
}

using Matches = std::vector<TextMatch>;

TEST(FindTextTest, FindsEveryPlaceInEitherCase) {
  const auto text = lines({"The cat", "a Cat, cats"});
  EXPECT_EQ(find_text(text, "cat"), (Matches{{{0, 4, 7}}, {{1, 2, 5}}, {{1, 7, 10}}}));
  EXPECT_EQ(find_text(text, "Cat"), (Matches{{{1, 2, 5}}}));
  EXPECT_TRUE(find_text(text, "dog").empty());
  EXPECT_TRUE(find_text(text, "  ").empty());
}

TEST(FindTextTest, WordsMayBeCutByTheEndOfALine) {
  EXPECT_EQ(find_text(lines({"• one two", "  three"}), "two three"),
            (Matches{{{0, 8, 11}, {1, 0, 7}}}));
  EXPECT_EQ(find_text(lines({"a   b"}), "a b"), (Matches{{{0, 0, 5}}}));
}

TEST(FindTextTest, CountsBytesOfCharacters) {
  EXPECT_EQ(find_text(lines({"日本ÄRGER"}), "ärger"), (Matches{{{0, 6, 12}}}));
}

TEST(FindTextTest, PlacesDoNotOverlap) {
  EXPECT_EQ(find_text(lines({"aaaa"}), "aa"), (Matches{{{0, 0, 2}}, {{0, 2, 4}}}));
}

TEST(FindTextTest, ARangeGetsItsRoleAndTheRestStays) {
  const Line line{{{"abc", {.bold = true}}, {"def", {.role = Role::code}, "http://x"}}};
  const Line marked = with_role(line, 2, 5, Role::match);
  EXPECT_EQ(to_text(marked), "abcdef");
  ASSERT_EQ(marked.spans.size(), 4u);
  EXPECT_EQ(marked.spans[1], (Span{"c", {.role = Role::match, .bold = true}}));
  EXPECT_EQ(marked.spans[2], (Span{"de", {.role = Role::match}, "http://x"}));
  EXPECT_EQ(marked.spans[3], (Span{"f", {.role = Role::code}, "http://x"}));
  EXPECT_EQ(with_role(line, 9, 12, Role::match), line);
}

}  // namespace
}  // namespace confab::ui
