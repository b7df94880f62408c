// SPDX-License-Identifier: MIT
#include "ui/transcript/message_focus.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/ui/transcript/transcript_fixture.h"

namespace confab::ui {
namespace {

class MessageFocusTest : public TranscriptFixture {};

TEST_F(MessageFocusTest, TheFocusStepsFromMessageToMessage) {
  said_.add_user("one", 0);
  said_.add_answer("two", 1);
  said_.set_tail("note");
  draw(10, 20);
  EXPECT_EQ(view_.focus().item(), nullptr);
  view_.focus().step(0);
  EXPECT_EQ(view_.focus().item()->number(), 1u);
  Frame frame(Rows{5}, Cols{20});
  view_.draw(frame, Rows{0}, Rows{5});
  EXPECT_EQ(frame.at({Rows{2}, Cols{1}}).text, "▌");
  EXPECT_EQ(frame.at({Rows{0}, Cols{1}}).text, " ");
  view_.focus().step(-1);
  EXPECT_EQ(view_.focus().item()->number(), 0u);
  view_.focus().step(-1);
  EXPECT_EQ(view_.focus().item()->number(), 0u);
  view_.focus().step(5);
  EXPECT_EQ(view_.focus().item()->source(), "two");
  view_.focus().leave();
  EXPECT_EQ(view_.focus().item(), nullptr);
}

TEST_F(MessageFocusTest, WhatGetsTheFocusComesIntoView) {
  for (int i = 0; i < 10; ++i) said_.add_answer("a" + std::to_string(i), i);
  draw(3, 20);
  view_.focus().step(-4);
  EXPECT_TRUE(draw(3, 20).ends_with("▌a9\n"));
  view_.focus().step(-3);
  EXPECT_EQ(draw(3, 20), "▌a6\n\na7\n");
  view_.focus().step(2);
  EXPECT_EQ(draw(3, 20), "a7\n\n▌a8\n");
  view_.focus().step(1);
  EXPECT_TRUE(draw(3, 20).ends_with("▌a9\n"));
  EXPECT_TRUE(view_.window().at_bottom());
}

TEST_F(MessageFocusTest, TheFocusStepsFromCodeToLinkAcrossMessages) {
  said_.add_answer("[a](http://a.b)\n\n```\ncode\n```\n", 0);
  said_.add_user("no parts", 1);
  said_.add_answer("text [c](http://c.d)", 2);
  draw(20, 30);
  EXPECT_TRUE(view_.focus().step_part(-1));
  EXPECT_EQ(view_.focus().part()->source, "http://c.d");
  EXPECT_TRUE(view_.focus().step_part(-1));
  EXPECT_EQ(view_.focus().part()->source, "code\n");
  EXPECT_EQ(view_.focus().item()->number(), 0u);
  EXPECT_EQ(draw(20, 24),
            "a\n\n▌╭─────────── y copy ──\n▌  code\n▌╰─────────────────────\n\n"
            "› no parts\n\ntext c\n");
  EXPECT_TRUE(view_.focus().step_part(-1));
  EXPECT_FALSE(view_.focus().step_part(-1));
  EXPECT_EQ(view_.focus().part()->source, "http://a.b");
  view_.focus().step(1);
  EXPECT_FALSE(view_.focus().part());
  EXPECT_EQ(view_.focus().item()->number(), 1u);
  EXPECT_TRUE(view_.focus().step_part(1));
  EXPECT_FALSE(view_.focus().step_part(1));
}

TEST_F(MessageFocusTest, GoesToAMessageByItsNumber) {
  said_.add_user("one", 0);
  said_.add_reasoning("note");
  said_.add_answer("two", 1);
  draw(9, 20);
  view_.focus().go_to(1);
  EXPECT_EQ(view_.focus().item()->source(), "two");
  view_.focus().go_to(7);
  EXPECT_EQ(view_.focus().item()->source(), "two");
}

TEST_F(MessageFocusTest, FoldsWhatHasTheFocus) {
  said_.add_answer("one\n\ntwo\n\nthree");
  draw(9, 20);
  view_.focus().step(-1);
  view_.focus().toggle_fold();
  EXPECT_EQ(view_.focus().item()->folded(), true);
  EXPECT_EQ(draw(9, 20), "▌one\n▌… 4 more lines\n");
}

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
