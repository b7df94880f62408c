// SPDX-License-Identifier: MIT
#include "app/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/fake_model.h"

namespace confab::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ReportTest, GroupsDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-1234), "-1,234");
}

TEST(ReportTest, StatusFollowsTheAnswer) {
  FakeModel model;
  Chat chat(model, nullptr, {});
  EXPECT_THAT(status_parts(chat, "", 0), ElementsAre("0/2,048 ctx"));
  chat.send("Hello?");
  EXPECT_THAT(status_parts(chat, progress_text(engine::PrefillProgress{5, 10, 4}), 0),
              ElementsAre("reading 5/10", "0/2,048 ctx"));
  EXPECT_THAT(status_parts(chat, "", 12.34), ElementsAre("12.3 tok/s", "0/2,048 ctx"));
  chat.take(finished({1, 2, 3}));
  EXPECT_THAT(status_parts(chat, "", 12.34), ElementsAre("12.3 tok/s", "13/2,048 ctx", "4 cached"));
}

TEST(ReportTest, StatsTellWhatWasCached) {
  FakeModel model;
  Chat chat(model, nullptr, {});
  EXPECT_THAT(describe_stats(chat), HasSubstr("template the file has none: ChatML\n"));
  EXPECT_THAT(describe_stats(chat), HasSubstr("no answer in this run yet"));
  chat.send("Hello?");
  chat.take(finished({1, 2, 3}));
  EXPECT_THAT(describe_stats(chat), HasSubstr("10 tokens, 4 of them cached"));
  EXPECT_THAT(describe_stats(chat), HasSubstr("ended by: end of turn"));
}

TEST(ReportTest, TellsHowMuchOfTheModelHasBeenLookedAt) {
  EXPECT_EQ(progress_text(engine::LoadProgress{512, 2048}), "first use of this model: 25 %");
  EXPECT_EQ(progress_text(engine::LoadProgress{0, 0}), "first use of this model: 0 %");
}

}  // namespace
}  // namespace confab::app
