// SPDX-License-Identifier: MIT
#include "app/copy_watch.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "ui/terminal/signals.h"

namespace confab::app {
namespace {

TEST(CopyWatchTest, SaysHowFarItIs) {
  EXPECT_EQ(copy_text(1, 3), "copying the weights to the graphics processor: 33 %");
  EXPECT_EQ(copy_text(5, 4), "copying the weights to the graphics processor: 100 %");
  EXPECT_EQ(copy_text(0, 3), "testing the programs of the graphics processor");
  EXPECT_EQ(copy_text(1, 0), "copying the weights to the graphics processor: 100 %");
}

TEST(CopyWatchTest, CtrlCEndsItOrTheProgram) {
  ui::Signals signals;
  watch_copying(signals, OnInterrupt::ends)()(1, 2);
  raise(SIGINT);
  EXPECT_THROW(watch_copying(signals, OnInterrupt::goes_on)()(1, 2), CopyStopped);
  const auto status_at = [&](int signal, const WatchCopying& watch) {
    raise(signal);
    try {
      watch()(1, 2);
    } catch (const Interrupted& by) {
      return by.status();
    }
    return 0;
  };
  EXPECT_EQ(status_at(SIGINT, watch_copying(signals, OnInterrupt::ends)), 130);
  EXPECT_EQ(status_at(SIGTERM, watch_copying(signals, OnInterrupt::goes_on)), 143);
  EXPECT_EQ(status_at(SIGINT, waits_at_start(signals, OnInterrupt::goes_on).watch_copying), 130)
      << "there is no chat without a model";
}

}  // namespace
}  // namespace confab::app
