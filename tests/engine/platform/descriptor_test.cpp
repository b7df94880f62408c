// SPDX-License-Identifier: MIT
#include "engine/platform/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "tests/temp_dir.h"

namespace confab::engine::platform {
namespace {

TEST(SyncFileTest, OfAFileAndItsFolder) {
  const TempDir dir;
  const Descriptor file(::open(dir.file("a", "text").c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(sync_file(file.get()), 0);
  const Descriptor folder(::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_EQ(sync_file(folder.get()), 0);
}

TEST(SyncFileTest, SaysWhyItCannot) {
  EXPECT_EQ(sync_file(-1), -1);
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace confab::engine::platform
