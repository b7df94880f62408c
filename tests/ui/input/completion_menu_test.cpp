// SPDX-License-Identifier: MIT
#include "ui/input/completion_menu.h"

#include <gtest/gtest.h>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

TEST(CommonPrefixTest, IsCutBetweenCharacters) {
  EXPECT_EQ(common_prefix({}), "");
  EXPECT_EQ(common_prefix({{"/list"}}), "/list");
  EXPECT_EQ(common_prefix({{"/list"}, {"/load"}}), "/l");
  EXPECT_EQ(common_prefix({{"/list"}, {"/li"}}), "/li");
  EXPECT_EQ(common_prefix({{"aé"}, {"aè"}}), "a") << "they share the first byte of two";
  EXPECT_EQ(common_prefix({{"é"}, {"è"}}), "");
}

TEST(WordBeginTest, IsBehindTheLastBlankOutsideOfQuotes) {
  EXPECT_EQ(word_begin(""), 0U);
  EXPECT_EQ(word_begin("one"), 0U);
  EXPECT_EQ(word_begin("one two"), 4U);
  EXPECT_EQ(word_begin("one\n"), 4U);
  EXPECT_EQ(word_begin("a @\"b c"), 2U);
  EXPECT_EQ(word_begin("a @\"b c\" d"), 9U);
  EXPECT_EQ(word_begin("a \"b c"), 5U);
  EXPECT_EQ(word_begin("x@\"b c"), 5U);
}

class CompletionMenuTest : public testing::Test {
 protected:
  std::string shown(int cols, int rows) { return to_text(menu_.lines(Cols{cols}, Rows{rows})); }

  // The texts of the lines that are marked.
  std::string marked() {
    std::string out;
    for (const Line& line : menu_.lines(Cols{80}, Rows{20}))
      for (const Span& span : line.spans)
        if (span.style.role == Role::selection) out += span.text;
    return out;
  }

  CompletionMenu menu_;
};

TEST_F(CompletionMenuTest, GoesRoundInBothDirections) {
  menu_.open({{"a"}, {"b"}, {"c"}});
  EXPECT_EQ(marked(), "");
  EXPECT_EQ(menu_.step(1).text, "a");
  EXPECT_EQ(menu_.step(1).text, "b");
  EXPECT_EQ(marked(), "b");
  EXPECT_EQ(menu_.step(-1).text, "a");
  EXPECT_EQ(menu_.step(-1).text, "c");
  EXPECT_EQ(menu_.step(1).text, "a");
  menu_.open({{"a"}, {"b"}});
  EXPECT_EQ(menu_.step(-1).text, "b") << "backwards begins at the end";
}

TEST_F(CompletionMenuTest, DescriptionsStandInAColumn) {
  menu_.open({{"/new", "a new conversation"}, {"/rename", "gives it a name"}, {"/x"}});
  EXPECT_EQ(shown(40, 5), "/new     a new conversation\n/rename  gives it a name\n/x\n");
  EXPECT_EQ(shown(14, 5), "/new     a ne…\n/rename  give…\n/x\n");
  EXPECT_EQ(shown(6, 5), "/new\n/rena…\n/x\n");
}

TEST_F(CompletionMenuTest, ShowsWhatIsAroundTheChosenOne) {
  std::vector<Candidate> many;
  for (int i = 0; i < 10; ++i) many.push_back({std::to_string(i)});
  menu_.open(many);
  EXPECT_EQ(shown(10, 3), "0\n1\n2\n");
  for (int i = 0; i < 5; ++i) menu_.step(1);
  EXPECT_EQ(shown(10, 3), "2\n3\n4\n");
  menu_.step(-1);
  menu_.step(-1);
  menu_.step(-1);
  menu_.step(-1);
  menu_.step(-1);
  EXPECT_EQ(shown(10, 3), "7\n8\n9\n");
  menu_.choose_shown(1, 3);
  EXPECT_EQ(menu_.chosen(), 8U);
}

TEST_F(CompletionMenuTest, NothingHostileOrWideIsShown) {
  menu_.open({{"a\x1b[31m\nb", "c\td\x9b"}, {std::string(200, 'x'), "wide"}});
  for (const int cols : {1, 2, 5, 20, 45, 80})
    for (const Line& line : menu_.lines(Cols{cols}, Rows{5})) {
      EXPECT_LE(ui::width(line).value, cols);
      EXPECT_EQ(to_text(line).find_first_of("\x1b\n\t"), std::string::npos);
    }
  EXPECT_TRUE(menu_.lines(Cols{10}, Rows{0}).empty());
  EXPECT_TRUE(menu_.lines(Cols{0}, Rows{2}).empty());
}

TEST_F(CompletionMenuTest, IsOpenWhileItHasCandidates) {
  EXPECT_FALSE(menu_.is_open());
  menu_.open({{"a"}});
  EXPECT_TRUE(menu_.is_open());
  menu_.close();
  EXPECT_FALSE(menu_.is_open());
  EXPECT_EQ(shown(10, 3), "");
}

}  // namespace
}  // namespace confab::ui
