// SPDX-License-Identifier: MIT
#include "app/chat/waiting_questions.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

TEST(WaitingQuestionsTest, ComeInTheirOrder) {
  WaitingQuestions waiting;
  EXPECT_EQ(waiting.next(), std::nullopt);
  waiting.add("one");
  waiting.add("two");
  EXPECT_EQ(waiting.size(), 2u);
  EXPECT_EQ(waiting.next(), "one");
  EXPECT_EQ(waiting.next(), "two");
  EXPECT_EQ(waiting.next(), std::nullopt);
}

TEST(WaitingQuestionsTest, TheLastOneCanBeTakenBackAlone) {
  WaitingQuestions waiting;
  EXPECT_EQ(waiting.take_last(), std::nullopt);
  waiting.add("one");
  waiting.add("two");
  EXPECT_EQ(waiting.take_last(), "two");
  EXPECT_EQ(waiting.all().size(), 1U);
}

TEST(WaitingQuestionsTest, StandAboveTheDraftWhenTakenBack) {
  WaitingQuestions waiting;
  EXPECT_EQ(waiting.take_back("draft"), "draft");
  waiting.add("one\nmore");
  waiting.add("two");
  EXPECT_EQ(waiting.take_back("draft"), "one\nmore\ntwo\ndraft");
  EXPECT_EQ(waiting.size(), 0u);
  waiting.add("three");
  EXPECT_EQ(waiting.take_back(""), "three");
}

}  // namespace
}  // namespace confab::app
