// SPDX-License-Identifier: MIT
#include "sessions/blocks/block_lease.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <utility>

#include "tests/sessions/processes.h"

namespace confab::sessions {
namespace {

TEST(BlockLeaseTest, LastsAsLongAsItsObject) {
  const TempDir dir;
  const std::string path = dir.file("block", "x");
  EXPECT_FALSE(BlockLease::in_use(path));
  {
    const BlockLease lease(path);
    EXPECT_TRUE(lease.held());
    EXPECT_TRUE(BlockLease::in_use(path));
    EXPECT_TRUE(BlockLease::in_use(path)) << "asking did not end it";
    EXPECT_FALSE(BlockLease::in_use(dir.file("other", "x")));
  }
  EXPECT_FALSE(BlockLease::in_use(path));
}

TEST(BlockLeaseTest, IsSharedAndMoves) {
  const TempDir dir;
  const std::string path = dir.file("block", "x");
  const std::string next = dir.file("next", "x");
  BlockLease a(path);
  BlockLease b(path);
  EXPECT_TRUE(a.held() && b.held());
  BlockLease c(std::move(a));
  EXPECT_TRUE(c.held());
  c = BlockLease(next);  // goes on to a deeper block
  EXPECT_TRUE(BlockLease::in_use(path)) << "held by the second one";
  b = BlockLease();
  EXPECT_FALSE(BlockLease::in_use(path));
  EXPECT_TRUE(BlockLease::in_use(next));
}

TEST(BlockLeaseTest, ThereIsNoneOfWhatIsNoFile) {
  const TempDir dir;
  EXPECT_FALSE(BlockLease(dir / "missing").held());
  EXPECT_FALSE(BlockLease::in_use(dir / "missing"));
  EXPECT_FALSE(BlockLease().held());
  std::filesystem::create_symlink(dir.file("block", "x"), dir / "link");
  EXPECT_FALSE(BlockLease(dir / "link").held());
  ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
  BlockLease::in_use(dir / "fifo");  // does not wait for a writer
}

TEST(BlockLeaseTest, IsSeenByOtherProcessesAndEndsWithItsOwn) {
  const TempDir dir;
  const std::string path = dir.file("block", "x");
  ::chmod(path.c_str(), 0400);
  std::array<int, 2> ready{};
  std::array<int, 2> go{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  ASSERT_EQ(::pipe(go.data()), 0);
  const pid_t child = fork_child([&] {
    const BlockLease lease(path);
    char c = 'x';
    return lease.held() && ::write(ready[1], &c, 1) == 1 && ::read(go[0], &c, 1) == 1;
  });
  char c = 0;
  ASSERT_EQ(::read(ready[0], &c, 1), 1);
  EXPECT_TRUE(BlockLease::in_use(path));
  EXPECT_TRUE(BlockLease(path).held());
  ::kill(child, SIGKILL);
  EXPECT_EQ(wait_for(child), -SIGKILL);
  EXPECT_FALSE(BlockLease::in_use(path));
  for (const int fd : {ready[0], ready[1], go[0], go[1]}) ::close(fd);
}

TEST(BlockLeaseTest, WithTooManyOpenFilesNothingIsFreeToGo) {
  const TempDir dir;
  const std::string path = dir.file("block", "x");
  EXPECT_EQ(wait_for(fork_child([&] {
              const rlimit none{3, 3};
              return ::setrlimit(RLIMIT_NOFILE, &none) == 0 && BlockLease::in_use(path) &&
                     !BlockLease(path).held();
            })),
            0);
}

}  // namespace
}  // namespace confab::sessions
