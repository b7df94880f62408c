// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_layout.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

// Three questions of 1, 2 and 3 lines: with the gaps, lines 0; 0 to 2; 0 to 3.
TranscriptLayout three() {
  TranscriptLayout layout;
  for (const char* text : {"a", "b\nb", "c\nc\nc"}) {
    layout.items.emplace_back(TranscriptItem::Kind::user, text);
    layout.items.back().finish();
  }
  return layout;
}

TEST(TranscriptLayoutTest, ItemsAreAnEmptyLineApart) {
  TranscriptLayout layout = three();
  EXPECT_EQ(layout.height(0), 1);
  EXPECT_EQ(layout.height(1), 3);
  EXPECT_EQ(layout.height(2), 4);
}

TEST(TranscriptLayoutTest, MovesAcrossItemsAndStopsAtTheEnds) {
  TranscriptLayout layout = three();
  EXPECT_EQ(layout.move({0, 0}, 1), (Place{1, 0}));
  EXPECT_EQ(layout.move({0, 0}, 5), (Place{2, 1}));
  EXPECT_EQ(layout.move({2, 1}, -5), (Place{0, 0}));
  EXPECT_EQ(layout.move({1, 2}, -100), (Place{0, 0}));
  EXPECT_EQ(layout.move({0, 0}, 100), (Place{2, 4}));
}

TEST(TranscriptLayoutTest, TheBottomIsWhatFits) {
  TranscriptLayout layout = three();
  EXPECT_EQ(layout.bottom_top(2), (Place{2, 2}));
  EXPECT_EQ(layout.bottom_top(5), (Place{1, 2}));
  EXPECT_EQ(layout.bottom_top(100), (Place{0, 0}));
}

TEST(TranscriptLayoutTest, DistancesAreCountedUpToALimit) {
  TranscriptLayout layout = three();
  EXPECT_EQ(layout.distance({0, 0}, {2, 1}, 100), 5);
  EXPECT_EQ(layout.distance({1, 2}, {2, 1}, 100), 2);
  EXPECT_EQ(layout.distance({0, 0}, {2, 4}, 3), 3);
}

}  // namespace
}  // namespace confab::ui
