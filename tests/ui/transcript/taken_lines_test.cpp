// SPDX-License-Identifier: MIT
#include "ui/transcript/taken_lines.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

using Kind = TranscriptItem::Kind;
using Places = std::vector<Place>;

class TakenLinesTest : public testing::Test {
 protected:
  TranscriptItem& add(Kind kind, std::string_view text) {
    return layout_.items.emplace_back(kind, text);
  }
  TranscriptLayout layout_;
  TakenLines taken_{layout_};
};

TEST_F(TakenLinesTest, FinishedItemsAreTakenWithTheLineBeforeThem) {
  add(Kind::user, "a").finish();
  add(Kind::user, "b\nc").finish();
  EXPECT_EQ(taken_.take(), (Places{{0, 0}, {1, 0}, {1, 1}, {1, 2}}));
  EXPECT_TRUE(taken_.take().empty());
  EXPECT_EQ(taken_.next(), (Place{2, 0}));
}

TEST_F(TakenLinesTest, OfAnAnswerThatGrowsWhatHasSettled) {
  TranscriptItem& answer = add(Kind::answer, "one\n\ntwo");
  EXPECT_TRUE(taken_.take().empty());
  answer.append("\n\nthree\n");
  EXPECT_EQ(taken_.take(), (Places{{0, 0}, {0, 1}, {0, 2}}));
  answer.finish();
  EXPECT_EQ(taken_.take().size(), 2u);
}

TEST_F(TakenLinesTest, AnotherWidthGoesOnBehindTheSameText) {
  TranscriptItem& answer = add(Kind::answer, "aa bb cc\n\ndd\n\nee\n");
  layout_.set_width(Cols{20});
  EXPECT_EQ(taken_.take().size(), 3u);
  layout_.set_width(Cols{2});
  EXPECT_EQ(taken_.next(), (Place{0, 5}));
  answer.finish();
  EXPECT_EQ(taken_.take().size(), 2u);
}

TEST_F(TakenLinesTest, FollowsWhatIsInsertedAndSkipped) {
  for (int i = 0; i < 3; ++i) add(Kind::user, "x").finish();
  taken_.skip_to({1, 1});
  taken_.skip_to({0, 0});
  EXPECT_EQ(taken_.next(), (Place{1, 1}));
  taken_.insert(0);
  EXPECT_EQ(taken_.next(), (Place{2, 1}));
  taken_.insert(2);
  EXPECT_EQ(taken_.next(), (Place{2, 1}));
  taken_.clear();
  EXPECT_EQ(taken_.next(), Place{});
}

}  // namespace
}  // namespace confab::ui
