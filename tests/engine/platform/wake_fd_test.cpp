// SPDX-License-Identifier: MIT
#include "engine/platform/wake_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>

namespace confab::engine::platform {
namespace {

bool readable(const WakeFd& wake) {
  pollfd entry{wake.fd(), POLLIN, 0};
  return ::poll(&entry, 1, 0) == 1;
}

TEST(WakeFdTest, IsReadableFromSetToClear) {
  WakeFd wake;
  EXPECT_FALSE(readable(wake));
  wake.set();
  EXPECT_TRUE(readable(wake));
  wake.set();
  wake.clear();
  EXPECT_FALSE(readable(wake));
  wake.clear();  // does not block
  wake.set();
  EXPECT_TRUE(readable(wake));
}

TEST(WakeFdTest, NeverBlocksHoweverOftenItIsSet) {
  WakeFd wake;
  for (int i = 0; i < 100000; ++i) wake.set();  // more than a pipe holds
  wake.clear();
  EXPECT_FALSE(readable(wake));
}

TEST(WakeFdTest, IsClosedOnExec) {
  const WakeFd wake;
  EXPECT_NE(::fcntl(wake.fd(), F_GETFD) & FD_CLOEXEC, 0);
}

}  // namespace
}  // namespace confab::engine::platform
