// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_search.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

using Found = TranscriptSearch::Found;

class TranscriptSearchTest : public testing::Test {
 protected:
  TranscriptSearchTest() {
    for (const char* text : {"cat", "dog", "cat\ncat", "bird"}) {
      layout_.items.emplace_back(TranscriptItem::Kind::user, text);
      layout_.items.back().finish();
    }
  }
  TranscriptLayout layout_;
  TranscriptSearch search_{layout_};
};

TEST_F(TranscriptSearchTest, TheNearestIsTheLastAboveElseTheFirstBelow) {
  search_.set_words("cat");
  EXPECT_EQ(search_.nearest({3, 1}), (Found{2, 1}));
  EXPECT_EQ(search_.nearest({2, 2}), (Found{2, 0}));
  EXPECT_EQ(search_.nearest({1, 0}), (Found{0, 0}));
  search_.set_words("bird");
  EXPECT_EQ(search_.nearest({0, 1}), (Found{3, 0}));
  search_.set_words("fish");
  EXPECT_FALSE(search_.nearest({3, 1}));
  search_.set_words("");
  EXPECT_FALSE(search_.nearest({3, 1}));
}

TEST_F(TranscriptSearchTest, GoesOnAroundTheEnds) {
  search_.set_words("cat");
  EXPECT_EQ(search_.next({0, 0}, 1), (Found{2, 0}));
  EXPECT_EQ(search_.next({2, 0}, 1), (Found{2, 1}));
  EXPECT_EQ(search_.next({2, 1}, 1), (Found{0, 0}));
  EXPECT_EQ(search_.next({0, 0}, -1), (Found{2, 1}));
  EXPECT_EQ(search_.next({2, 1}, -1), (Found{2, 0}));
  search_.set_words("dog");
  EXPECT_EQ(search_.next({1, 0}, 1), (Found{1, 0}));
  search_.set_words("fish");
  EXPECT_FALSE(search_.next({1, 0}, 1));
}

TEST_F(TranscriptSearchTest, MarksTheLineAndTheCurrentPlaceApart) {
  search_.set_words("at");
  const Line line = search_.marked(2, 1, Found{2, 1});
  ASSERT_EQ(line.spans.size(), 2u);
  EXPECT_EQ(line.spans[1].text, "at");
  EXPECT_EQ(line.spans[1].style.role, Role::match_current);
  EXPECT_EQ(search_.marked(2, 0, Found{2, 1}).spans[1].style.role, Role::match);
  EXPECT_EQ(search_.marked(1, 0, Found{2, 1}).spans.size(), 1u);
}

TEST_F(TranscriptSearchTest, TextThatGrewIsLookedThroughAgain) {
  layout_.items.emplace_back(TranscriptItem::Kind::answer, "a fish");
  search_.set_words("fish");
  EXPECT_EQ(search_.nearest({4, 100}), (Found{4, 0}));
  layout_.items[4].append(" and a fish");
  EXPECT_EQ(search_.nearest({4, 100}), (Found{4, 1}));
  layout_.set_width(Cols{6});
  EXPECT_EQ(search_.place({4, 1}).line, 3);
}

}  // namespace
}  // namespace confab::ui
