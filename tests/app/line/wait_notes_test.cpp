// SPDX-License-Identifier: MIT
#include "app/line/plain_chat.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

using std::chrono::seconds;

class WaitNotesTest : public testing::Test {
 protected:
  WaitNotesTest() { notes_.begin(start_); }
  bool notes_at(seconds passed, const AnswerWait& event) {
    return notes_.take(event, start_ + passed).has_value();
  }

  const AnswerWait prefill_ = engine::PrefillProgress{400, 1000, 0};
  const WaitNotes::Clock::time_point start_{std::chrono::hours(1)};
  WaitNotes notes_;
};

TEST_F(WaitNotesTest, AShortWaitIsNotTold) {
  EXPECT_FALSE(notes_at(seconds(0), prefill_));
  EXPECT_FALSE(notes_at(seconds(2), prefill_));
}

TEST_F(WaitNotesTest, ALongOneIsToldNowAndThen) {
  EXPECT_TRUE(notes_at(seconds(3), prefill_));
  EXPECT_FALSE(notes_at(seconds(4), prefill_));
  EXPECT_FALSE(notes_at(seconds(12), prefill_));
  EXPECT_TRUE(notes_at(seconds(13), prefill_));
}

TEST_F(WaitNotesTest, SaysHowFarItIsInOneLine) {
  const std::string note = *notes_.take(prefill_, start_ + seconds(5));
  EXPECT_NE(note.find("400"), std::string::npos) << note;
  EXPECT_EQ(note.find('\n'), std::string::npos);
  notes_.begin(start_);
  EXPECT_TRUE(notes_at(seconds(5), engine::LoadProgress{1, 2}));
}

}  // namespace
}  // namespace confab::app
