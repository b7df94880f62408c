// SPDX-License-Identifier: MIT
#include "ui/transcript/search_focus.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/ui/transcript/transcript_fixture.h"

namespace confab::ui {
namespace {

class SearchFocusTest : public TranscriptFixture {};

TEST_F(SearchFocusTest, SearchingBringsTheNearestPlaceIntoView) {
  for (int i = 0; i < 20; ++i) said_.add_answer("line " + std::to_string(i));
  draw(3, 20);
  EXPECT_TRUE(view_.search().find("line 3"));
  EXPECT_NE(draw(3, 20).find("line 3\n"), std::string::npos);
  EXPECT_TRUE(view_.search().find("line 1"));
  EXPECT_NE(draw(3, 20).find("line 1\n"), std::string::npos);
  EXPECT_TRUE(view_.search().find_next(-1));
  EXPECT_NE(draw(3, 20).find("line 19\n"), std::string::npos);
  EXPECT_TRUE(view_.search().find_next(1));
  EXPECT_NE(draw(3, 20).find("line 1\n"), std::string::npos);
  EXPECT_FALSE(view_.search().find("nowhere"));
  EXPECT_FALSE(view_.search().find_next(1));
  EXPECT_TRUE(view_.search().find(""));
}

using Standing = SearchFocus::Standing;

void expect_standing(const Standing& found, const Standing& wanted) {
  EXPECT_EQ(found.at, wanted.at);
  EXPECT_EQ(found.all, wanted.all);
  EXPECT_EQ(found.wrapped, wanted.wrapped);
}

TEST_F(SearchFocusTest, TellsWhichOfAllPlacesItIsAt) {
  said_.add_answer("fox and fox");
  said_.add_answer("dog");
  said_.add_answer("fox");
  draw(9, 20);
  SearchFocus& search = view_.search();
  EXPECT_FALSE(search.active());
  expect_standing(search.standing(), {});
  search.find("fox");
  EXPECT_TRUE(search.active());
  expect_standing(search.standing(), {.at = 3, .all = 3});
  search.find_next(-1);
  expect_standing(search.standing(), {.at = 2, .all = 3});
  search.find_next(1);
  expect_standing(search.standing(), {.at = 3, .all = 3});
  search.find("cat");
  expect_standing(search.standing(), {});
}

TEST_F(SearchFocusTest, StaysAtItsPlaceWhileAnAnswerIsWritten) {
  for (int i = 0; i < 4; ++i) said_.add_answer("fox");
  said_.set_tail("cut off");
  draw(9, 20);
  SearchFocus& search = view_.search();
  search.find("fox");
  search.find_next(-1);
  expect_standing(search.standing(), {.at = 3, .all = 4});
  said_.begin_answer();  // which drops the tail
  said_.append_reasoning("a fox?");
  said_.append_answer("another fox");
  draw(9, 20);
  expect_standing(search.standing(), {.at = 3, .all = 5});
  search.find_next(-1);
  expect_standing(search.standing(), {.at = 2, .all = 5});
  said_.clear();
  expect_standing(search.standing(), {});
}

TEST_F(SearchFocusTest, TellsThatItWentAroundTheEnd) {
  said_.add_answer("fox");
  said_.add_answer("fox");
  draw(9, 20);
  SearchFocus& search = view_.search();
  search.find("fox");
  search.find_next(1);
  expect_standing(search.standing(), {.at = 1, .all = 2, .wrapped = 1});
  search.find_next(1);
  expect_standing(search.standing(), {.at = 2, .all = 2});
  search.find_next(-1);
  search.find_next(-1);
  expect_standing(search.standing(), {.at = 2, .all = 2, .wrapped = -1});
}

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
