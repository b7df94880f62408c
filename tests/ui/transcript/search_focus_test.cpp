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

}  // namespace
}  // namespace confab::ui
