// SPDX-License-Identifier: MIT
#include "app/manners/sparing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/screen/screen_fixture.h"

namespace confab::app {
namespace {

using namespace std::chrono_literals;
using engine::platform::MemoryPressure;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class PressureLadderTest : public testing::Test {
 protected:
  std::optional<MemoryStep> take(MemoryPressure pressure, bool busy = false) {
    return ladder.take(pressure, busy, now);
  }

  PressureLadder ladder;
  PressureLadder::Clock::time_point now{1h};
};

TEST_F(PressureLadderTest, NothingIsAskedWithoutPressure) {
  EXPECT_EQ(take(MemoryPressure::none), std::nullopt);
  EXPECT_EQ(ladder.due(), std::nullopt);
}

TEST_F(PressureLadderTest, SomePressureTakesOneStepAndCalmTakesItBack) {
  EXPECT_EQ(take(MemoryPressure::some), MemoryStep::spare);
  EXPECT_EQ(ladder.due(), now + 10s);
  now += 8s;
  EXPECT_EQ(take(MemoryPressure::some), std::nullopt);
  now += 9s;
  EXPECT_EQ(take(MemoryPressure::none), std::nullopt) << "it was heard of 9 s ago";
  now += 1s;
  EXPECT_EQ(take(MemoryPressure::none), MemoryStep::all);
  EXPECT_EQ(ladder.due(), std::nullopt);
}

TEST_F(PressureLadderTest, StepsAreTakenBackInTheOppositeOrder) {
  EXPECT_EQ(take(MemoryPressure::full), MemoryStep::spare);
  EXPECT_EQ(take(MemoryPressure::none), MemoryStep::unloaded);
  now += 10s;
  EXPECT_EQ(take(MemoryPressure::none), MemoryStep::spare);
  now += 9s;
  EXPECT_EQ(take(MemoryPressure::none), std::nullopt);
  now += 1s;
  EXPECT_EQ(take(MemoryPressure::none), MemoryStep::all);
}

TEST_F(PressureLadderTest, AnAnswerIsFinishedBeforeTheModelGoes) {
  EXPECT_EQ(take(MemoryPressure::full, true), MemoryStep::spare);
  EXPECT_EQ(take(MemoryPressure::some, true), std::nullopt);
  EXPECT_EQ(take(MemoryPressure::none, false), MemoryStep::unloaded);
}

TEST_F(PressureLadderTest, PressureThatEndedBeforeTheAnswerDidUnloadsNothing) {
  EXPECT_EQ(take(MemoryPressure::full, true), MemoryStep::spare);
  now += 10s;
  EXPECT_EQ(take(MemoryPressure::none, true), MemoryStep::all);
  EXPECT_EQ(take(MemoryPressure::none, false), std::nullopt);
}

TEST_F(PressureLadderTest, AQuestionBringsTheModelBackUntilTheNextFullPressure) {
  EXPECT_EQ(ladder.ask(), std::nullopt);
  take(MemoryPressure::full);
  take(MemoryPressure::full);
  EXPECT_EQ(ladder.ask(), MemoryStep::spare);
  EXPECT_EQ(take(MemoryPressure::some, true), std::nullopt);
  EXPECT_EQ(take(MemoryPressure::none), std::nullopt);
  EXPECT_EQ(take(MemoryPressure::full), MemoryStep::unloaded);
}

// On the screen, event by event.
class PressureScreenTest : public ScreenFixture {
 protected:
  void feel(MemoryPressure pressure) {
    host_.pressure = pressure;
    screen_.take_memory_pressure();
  }
  std::string log() const { return read_file(paths_.log); }
  std::string status() { return text(12, 100); }
};

TEST_F(PressureScreenTest, TheWholeLadderDownAndUp) {
  submit("hello");
  feel(MemoryPressure::some);
  EXPECT_THAT(status(), HasSubstr("low memory: drafts off"));
  EXPECT_THAT(model().spared, ElementsAre(true));
  feel(MemoryPressure::full);
  EXPECT_EQ(model().n_unloaded, 0) << "an answer is being written";
  answer("hi");
  EXPECT_EQ(model().n_unloaded, 1);
  EXPECT_THAT(status(), HasSubstr("low memory: model unloaded"));

  type("a");
  EXPECT_EQ(model().n_unloaded, 1);
  EXPECT_THAT(status(), HasSubstr("unloaded")) << "a key is no question";
  host_.pressure = MemoryPressure::none;
  wait(10s);
  EXPECT_THAT(status(), HasSubstr("low memory: drafts off"));
  wait(10s);
  EXPECT_THAT(status(), Not(HasSubstr("low memory")));
  EXPECT_FALSE(model().spared.back());
  const std::string told = log();
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 4) << told;
  EXPECT_THAT(told, HasSubstr("memory is free again"));
}

TEST_F(PressureScreenTest, AQuestionIsAnsweredWhileMemoryIsShort) {
  feel(MemoryPressure::full);
  feel(MemoryPressure::full);
  ASSERT_EQ(model().n_unloaded, 1);
  submit("hello");
  EXPECT_EQ(model().requests.size(), 1U);
  EXPECT_THAT(status(), Not(HasSubstr("unloaded")));
  answer("hi");
  EXPECT_EQ(model().n_unloaded, 2) << "memory is still short";
}

// It would come back at once.
TEST_F(PressureScreenTest, TheModelStaysForAQuestionThatWaits) {
  submit("hello");
  submit("and then?");
  feel(MemoryPressure::full);
  answer("hi");
  EXPECT_EQ(model().requests.size(), 2U);
  EXPECT_EQ(model().n_unloaded, 0);
  answer("then nothing");
  EXPECT_EQ(model().n_unloaded, 1);
}

}  // namespace
}  // namespace confab::app
