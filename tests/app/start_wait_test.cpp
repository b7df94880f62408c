// SPDX-License-Identifier: MIT
#include "app/copy_watch.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "engine/platform/wake_fd.h"

namespace confab::app {
namespace {

TEST(StartWaitTest, WhatTakesLongIsToldOnce) {
  ui::Signals signals;
  engine::platform::WakeFd wake;
  StartWait wait(signals, OnInterrupt::ends);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(wait(wake.fd(), "waiting for work"));
  wake.set();
  EXPECT_TRUE(wait(wake.fd(), "waiting for work"));
  EXPECT_TRUE(wait(wake.fd(), "work is not ready: Loading model")) << "it has changed already";
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "confab: waiting for work; Ctrl+C stops that\n");
}

TEST(StartWaitTest, CtrlCEndsItOrTheProgram) {
  ui::Signals signals;
  const engine::platform::WakeFd wake;
  raise(SIGINT);
  EXPECT_FALSE(StartWait(signals, OnInterrupt::goes_on)(wake.fd(), "waiting"));
  const auto status_at = [&](int signal) {
    raise(signal);
    try {
      StartWait(signals, signal == SIGINT ? OnInterrupt::ends : OnInterrupt::goes_on)(wake.fd(),
                                                                                      "waiting");
    } catch (const Interrupted& by) {
      return by.status();
    }
    return 0;
  };
  EXPECT_EQ(status_at(SIGINT), 130);
  EXPECT_EQ(status_at(SIGTERM), 143);
}

}  // namespace
}  // namespace confab::app
