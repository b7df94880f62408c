// SPDX-License-Identifier: MIT
#include "ui/terminal/signals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

namespace confab::ui {
namespace {

using testing::ElementsAre;

bool readable(int fd) {
  pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&wait, 1, 0) == 1;
}

TEST(SignalsTest, QueuesEachSignalOnceAndWakesThePoll) {
  Signals signals;
  EXPECT_FALSE(readable(signals.fd()));
  for (int i = 0; i < 100000; ++i) raise(SIGWINCH);  // more than a pipe holds
  raise(SIGTERM);
  raise(SIGINT);
  EXPECT_TRUE(readable(signals.fd()));
  EXPECT_THAT(signals.take(), ElementsAre(SIGINT, SIGTERM, SIGWINCH));
  EXPECT_FALSE(readable(signals.fd()));
  EXPECT_THAT(signals.take(), ElementsAre());
}

TEST(SignalsTest, FormerActionsReturn) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGHUP, &ignore, &before);
  {
    Signals signals;
    raise(SIGHUP);
    EXPECT_THAT(signals.take(), ElementsAre(SIGHUP));
  }
  struct sigaction now {};
  sigaction(SIGHUP, &before, &now);
  EXPECT_EQ(now.sa_handler, SIG_IGN);
}

TEST(SignalsTest, ASecondOneStartsEmpty) {
  {
    Signals first;
    raise(SIGHUP);
  }
  Signals second;
  EXPECT_FALSE(readable(second.fd()));
  EXPECT_THAT(second.take(), ElementsAre());
}

}  // namespace
}  // namespace confab::ui
