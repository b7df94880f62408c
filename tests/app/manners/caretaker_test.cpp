// SPDX-License-Identifier: MIT
#include "app/manners/caretaker.h"

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
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

// Says what a test tells it to, to whoever asks.
struct FakePressure : engine::platform::PressureSource {
  int fd() const noexcept override { return -1; }
  MemoryPressure take() override {
    ++n_asked;
    return pressure;
  }
  std::optional<milliseconds> poll_interval() const noexcept override { return 2s; }

  MemoryPressure pressure = MemoryPressure::none;
  int n_asked = 0;
};

struct FakePower : engine::platform::PowerSource {
  PowerReason take(Clock::time_point) override { return reason; }
  std::optional<milliseconds> poll_interval() const noexcept override { return 5s; }

  PowerReason reason = PowerReason::none;
};

class CaretakerTest : public testing::Test {
 protected:
  CaretakerTest() { backend.model = std::make_unique<FakeModel>(); }
  FakeModel& model() { return static_cast<FakeModel&>(*backend.model); }

  TempDir dir;
  Backend backend;
  std::unique_ptr<FakePressure> given_pressure = std::make_unique<FakePressure>();
  std::unique_ptr<FakePower> given_power = std::make_unique<FakePower>();
  FakePressure& source = *given_pressure;
  FakePower& power = *given_power;
  Caretaker care{backend, dir / "log", {std::move(given_pressure), std::move(given_power)}};
  Caretaker::Clock::time_point now{1h};
};

TEST_F(CaretakerTest, WhileAnAnswerIsWrittenTheMachineIsAskedNowAndThen) {
  care.ask(now);
  EXPECT_EQ(source.n_asked, 1);
  EXPECT_EQ(care.timeout(now), 2s);
  care.look(true, now + 1s);
  EXPECT_EQ(source.n_asked, 1);
  EXPECT_EQ(care.timeout(now + 1s), 1s);
  care.look(true, now + 2s);
  EXPECT_EQ(source.n_asked, 2);
  EXPECT_EQ(care.timeout(now + 4s), 0s);
  EXPECT_EQ(care.take_news(), "");
}

TEST_F(CaretakerTest, TheModelSparesWhatItCanAndGoesOnceItsAnswerIsWhole) {
  source.pressure = MemoryPressure::full;
  care.ask(now);
  EXPECT_THAT(model().spared, ElementsAre(true));
  EXPECT_THAT(care.take_news(), HasSubstr("memory is short"));
  care.look(true, now + 2s);
  EXPECT_EQ(model().n_unloaded, 0);
  care.look(false, now + 3s);
  EXPECT_EQ(model().n_unloaded, 1);
  EXPECT_THAT(care.take_news(), HasSubstr("unloaded until the next question"));
  EXPECT_EQ(care.take_news(), "");

  source.pressure = MemoryPressure::none;
  care.ask(now + 5s);
  EXPECT_THAT(care.take_news(), HasSubstr("may come back"));
  care.look(true, now + 13s);
  EXPECT_FALSE(backend.spares_memory);
  EXPECT_THAT(read_file(dir / "log"), HasSubstr("memory is free again"));
}

TEST_F(CaretakerTest, PowerIsSavedWhileThereIsAReason) {
  power.reason = PowerReason::low_battery;
  care.ask(now);
  EXPECT_THAT(care.take_news(), HasSubstr("the battery is low"));
  power.reason = PowerReason::none;
  care.look(true, now + 4s);
  EXPECT_TRUE(backend.spares_power);
  care.look(true, now + 5s);
  EXPECT_THAT(model().spared_power, ElementsAre(true, false));
}

}  // namespace
}  // namespace confab::app
