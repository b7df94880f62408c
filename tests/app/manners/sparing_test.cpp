// SPDX-License-Identifier: MIT
#include "app/manners/sparing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/chat/backend.h"
#include "tests/app/fake_model.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using namespace std::chrono_literals;
using engine::platform::MemoryPressure;
using engine::platform::PowerReason;
using testing::ElementsAre;
using testing::HasSubstr;

class SparingTest : public testing::Test {
 protected:
  SparingTest() { backend.model = std::make_unique<FakeModel>(); }
  FakeModel& model() { return static_cast<FakeModel&>(*backend.model); }

  TempDir dir;
  Backend backend;
  Sparing sparing{backend, dir / "log", 5s};
  Sparing::Clock::time_point now{1h};
};

TEST_F(SparingTest, WhatTheModelGivesUpIsLoggedAndAnotherModelIsToldToo) {
  EXPECT_EQ(sparing.take(MemoryPressure::none, false, now), "");
  EXPECT_THAT(sparing.take(MemoryPressure::some, false, now), HasSubstr("memory is short"));
  EXPECT_TRUE(backend.spares_memory);
  EXPECT_EQ(sparing.text(), "low memory: drafts off");
  EXPECT_EQ(model().n_unloaded, 0);
  sparing.take(MemoryPressure::full, false, now);
  EXPECT_EQ(model().n_unloaded, 1);
  EXPECT_EQ(sparing.memory(), MemoryStep::unloaded);
  EXPECT_THAT(sparing.ask(), HasSubstr("may come back"));
  EXPECT_EQ(sparing.ask(), "");
  EXPECT_THAT(sparing.take(MemoryPressure::none, false, now + 10s), HasSubstr("free again"));
  EXPECT_FALSE(backend.spares_memory);
  EXPECT_THAT(model().spared, ElementsAre(true, true, true, false));
  const std::string told = read_file(dir / "log");
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 4) << told;
}

TEST_F(SparingTest, MemoryIsToldBeforePower) {
  EXPECT_THAT(sparing.take(PowerReason::heat, now), HasSubstr("too hot"));
  EXPECT_EQ(sparing.take(PowerReason::heat, now + 5s), "");
  EXPECT_TRUE(backend.spares_power);
  EXPECT_EQ(sparing.text(), "too hot: half the threads");
  sparing.take(MemoryPressure::some, true, now);
  EXPECT_EQ(sparing.text(), "low memory: drafts off");
  sparing.take(PowerReason::none, now + 10s);
  EXPECT_FALSE(sparing.spares_power());
  EXPECT_THAT(model().spared_power, ElementsAre(true, false));
}

}  // namespace
}  // namespace confab::app
