// SPDX-License-Identifier: MIT
#include "app/manners/sparing.h"

#include <gtest/gtest.h>

#include "tests/app/screen/screen_fixture.h"

namespace confab::app {
namespace {

using namespace std::chrono_literals;

TEST(RestTest, BeginsOnceAfterTheLastSignOfAnybody) {
  Rest rest(180s);
  Rest::Clock::time_point now{1h};
  EXPECT_EQ(rest.due(), std::nullopt);
  EXPECT_FALSE(rest.wake(now));
  EXPECT_EQ(rest.due(), now + 180s);
  rest.wake(now += 100s);
  EXPECT_FALSE(rest.begin(now + 179s));
  EXPECT_TRUE(rest.begin(now + 180s));
  EXPECT_TRUE(rest.is_unloaded());
  EXPECT_FALSE(rest.begin(now + 200s));
  EXPECT_EQ(rest.due(), std::nullopt);  // nothing more is to be done: no wake-up
  EXPECT_TRUE(rest.wake(now + 300s));
  EXPECT_FALSE(rest.wake(now + 301s));
  EXPECT_EQ(rest.due(), now + 481s);
}

TEST(RestTest, NeverBeginsWhenItIsOff) {
  Rest rest(0s);
  rest.wake(Rest::Clock::time_point{1h});
  EXPECT_EQ(rest.due(), std::nullopt);
  EXPECT_FALSE(rest.begin(Rest::Clock::time_point{100h}));
}

// On the screen: the model goes after three minutes, and a key brings it back.
using RestScreenTest = ScreenFixture;

TEST_F(RestScreenTest, AChatThatNobodyUsesIsUnloadedAndTheNextKeyBringsItBack) {
  submit("hello");
  answer("hi");
  ASSERT_TRUE(screen_.due().has_value());
  wait(179s);
  EXPECT_EQ(model().n_unloaded, 0);
  wait(1s);
  EXPECT_EQ(model().n_unloaded, 1);
  EXPECT_NE(text(12, 100).find("unloaded"), std::string::npos) << text(12, 100);
  wait(3600s);
  EXPECT_EQ(model().n_unloaded, 1);
  EXPECT_EQ(screen_.due(), std::nullopt);

  const std::size_t n_prepared = model().preparations.size();
  type("n");
  EXPECT_EQ(model().preparations.size(), n_prepared + 1);
  EXPECT_EQ(model().preparations.back().turns.size(), 2);  // all that was said
  EXPECT_EQ(text(12, 100).find("unloaded"), std::string::npos);
  type("e");
  EXPECT_EQ(model().preparations.size(), n_prepared + 1);
  wait(180s);
  EXPECT_EQ(model().n_unloaded, 2);
}

TEST_F(RestScreenTest, AnAnswerThatIsBeingWrittenKeepsTheModel) {
  submit("hello");
  wait(600s);
  EXPECT_EQ(model().n_unloaded, 0);
  answer("hi");
  wait(179s);
  EXPECT_EQ(model().n_unloaded, 0);
  wait(1s);
  EXPECT_EQ(model().n_unloaded, 1);
}

TEST_F(RestScreenTest, LooksAndResizesAreNoSign) {
  submit("hello");
  answer("hi");
  wait(180s);
  const std::size_t n_prepared = model().preparations.size();
  screen_.take(ui::Focus{true});
  text(20, 80);
  EXPECT_EQ(model().preparations.size(), n_prepared);
  EXPECT_NE(text(12, 100).find("unloaded"), std::string::npos);
}

}  // namespace
}  // namespace confab::app
