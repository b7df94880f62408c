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

}  // namespace
}  // namespace confab::ui
