// SPDX-License-Identifier: MIT
#include "app/chat/question.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

const sessions::Attachment kFile = sessions::make_attachment("a.md", "text");

TEST(WaitingQuestionsTest, ComeInTheirOrder) {
  WaitingQuestions waiting;
  EXPECT_FALSE(waiting.next());
  waiting.add({"one", {kFile}});
  waiting.add({"two"});
  EXPECT_EQ(waiting.size(), 2u);
  const auto one = waiting.next();
  EXPECT_EQ(one->text, "one");
  EXPECT_EQ(one->files, std::vector{kFile});
  const auto two = waiting.next();
  EXPECT_EQ(two->text, "two");
  EXPECT_TRUE(two->files.empty());
  EXPECT_FALSE(waiting.next());
}

TEST(WaitingQuestionsTest, TheLastOneCanBeTakenBackAlone) {
  WaitingQuestions waiting;
  EXPECT_FALSE(waiting.take_last());
  waiting.add({"one"});
  waiting.add({"two"});
  EXPECT_EQ(waiting.take_last()->text, "two");
  EXPECT_EQ(waiting.all().size(), 1U);
}

TEST(WaitingQuestionsTest, StandAboveTheDraftWhenTakenBack) {
  WaitingQuestions waiting;
  EXPECT_EQ(waiting.take_back("draft").text, "draft");
  waiting.add({"one\nmore", {kFile}});
  waiting.add({"two", {kFile}});
  const WaitingQuestion all = waiting.take_back("draft");
  EXPECT_EQ(all.text, "one\nmore\ntwo\ndraft");
  EXPECT_EQ(all.files, (std::vector{kFile, kFile}));
  EXPECT_EQ(waiting.size(), 0u);
  waiting.add({"three"});
  EXPECT_EQ(waiting.take_back("").text, "three");
}

}  // namespace
}  // namespace confab::app
