// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_steps.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

using Kind = TranscriptItem::Kind;

class TranscriptStepsTest : public testing::Test {
 protected:
  TranscriptStepsTest() {
    for (const auto& [kind, text] : {std::pair{Kind::answer, "[a](http://a.b) [c](http://c.d)"},
                                     {Kind::tail, "note"},
                                     {Kind::user, "question"},
                                     {Kind::answer, "```\ncode\n```"}}) {
      layout_.items.emplace_back(kind, text);
      layout_.items.back().finish();
    }
  }
  TranscriptLayout layout_;
};

TEST_F(TranscriptStepsTest, TheTailIsPassedOver) {
  EXPECT_EQ(next_message(layout_, 4, -1), 3u);
  EXPECT_EQ(next_message(layout_, 2, -1), 0u);
  EXPECT_EQ(next_message(layout_, 0, -1), 0u);
  EXPECT_EQ(next_message(layout_, 0, 1), 2u);
  EXPECT_EQ(next_message(layout_, 3, 1), 3u);
}

TEST_F(TranscriptStepsTest, PartsGoOnInOtherMessages) {
  EXPECT_EQ(next_part(layout_, 0, {}, 1), (PartPlace{0, 0}));
  EXPECT_EQ(next_part(layout_, 0, 0, 1), (PartPlace{0, 1}));
  EXPECT_EQ(next_part(layout_, 0, 1, 1), (PartPlace{3, 0}));
  EXPECT_EQ(next_part(layout_, 3, 0, 1), std::nullopt);
  EXPECT_EQ(next_part(layout_, 3, {}, -1), (PartPlace{3, 0}));
  EXPECT_EQ(next_part(layout_, 3, 0, -1), (PartPlace{0, 1}));
  EXPECT_EQ(next_part(layout_, 0, 0, -1), std::nullopt);
}

}  // namespace
}  // namespace confab::ui
