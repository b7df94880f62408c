// SPDX-License-Identifier: MIT
#include "app/screen/answer_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/screen/fake_host.h"
#include "ui/transcript/transcript_view.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class AnswerViewTest : public testing::Test {
 protected:
  AnswerViewTest() { answer_.begin(1); }
  std::string text() {
    ui::Frame frame(ui::Rows{9}, ui::Cols{40});
    view_.draw(frame, ui::Rows{0}, ui::Rows{9});
    return frame.to_text();
  }
  FakeHost host_;
  ui::Transcript transcript_;
  ui::TranscriptView view_{transcript_};
  AnswerView answer_{transcript_, host_};
};

TEST_F(AnswerViewTest, WhatComesIsShownAndIsAChange) {
  EXPECT_TRUE(answer_.take_change());  // it has begun
  EXPECT_FALSE(answer_.take_change());
  answer_.progress(0, engine::PrefillProgress{1, 2, 0});
  EXPECT_TRUE(answer_.take_change());
  EXPECT_FALSE(answer_.take_change());
  EXPECT_EQ(answer_.so_far().prefill()->n_done, 1);
  answer_.reasoning(0, {"hm", 1});
  EXPECT_THAT(text(), HasSubstr("Thinking: 1 token, 0 s"));
  EXPECT_TRUE(answer_.text(0, {"So.", 2}));
  EXPECT_TRUE(answer_.take_change());
  EXPECT_THAT(text(), HasSubstr("So."));
  answer_.end("");
  EXPECT_TRUE(transcript_.layout().items.back().finished());
}

TEST_F(AnswerViewTest, ReasoningThatNoAnswerFollowsEndsWithIt) {
  answer_.reasoning(0, {"hm", 1});
  host_.time += std::chrono::seconds(2);
  answer_.reasoning(0, {"hm", 3});
  answer_.end("");
  EXPECT_THAT(text(), HasSubstr("Thought for 2 s, 3 tokens"));
}

TEST_F(AnswerViewTest, OfSeveralTheOneThatIsTurnedToIsLeft) {
  answer_.end("");
  transcript_.clear();
  answer_.begin(1, 2);
  answer_.text(0, {"One.", 1});
  answer_.reasoning(1, {"hm", 1});
  EXPECT_THAT(text(), HasSubstr("One."));
  EXPECT_THAT(text(), HasSubstr("answer 1 of 2: 1 token · 2: Thinking"));
  EXPECT_THAT(text(), HasSubstr("2 answers · 2 tokens"));
  host_.time += std::chrono::seconds(1);
  answer_.text(1, {"Two.", 3});
  EXPECT_GT(answer_.speed(), 0);
  answer_.ended(0, {.end = AnswerEnd::stopped});
  answer_.turn_to(1);
  EXPECT_THAT(text(), HasSubstr("answer 2 of 2: 3 tokens · 1: stopped,"));
  answer_.ended(1, {});
  EXPECT_EQ(answer_.speed(), 0);
  answer_.end("", "hm");
  EXPECT_THAT(text(), HasSubstr("▸ Thought for 1 s, 1 token"));
  EXPECT_THAT(text(), HasSubstr("Two."));
  EXPECT_THAT(text(), Not(HasSubstr("answer")));
}

TEST_F(AnswerViewTest, OnlyWhoLooksElsewhereForLongGetsNews) {
  host_.time += std::chrono::seconds(20);
  answer_.end("one");
  answer_.look(false);
  answer_.begin(3);
  answer_.end("two");
  answer_.begin(5);
  host_.time += std::chrono::seconds(20);
  answer_.end("");
  answer_.begin(7);
  host_.time += std::chrono::seconds(20);
  answer_.end("three");
  EXPECT_THAT(host_.notifications, ElementsAre("confab: three"));
}

}  // namespace
}  // namespace confab::app
