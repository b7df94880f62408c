// SPDX-License-Identifier: MIT
#include "sessions/directory.h"

#include "sessions/error.h"
#include "tests/sessions/processes.h"

namespace confab::sessions {
namespace {

TEST(DirectoryTest, CreatesWhatIsMissingForTheOwnerOnly) {
  const TempDir dir;
  const mode_t old = ::umask(0);
  make_private_directories(dir / "a/b/c");
  ::umask(old);
  EXPECT_EQ(mode_of(dir / "a"), 0700u);
  EXPECT_EQ(mode_of(dir / "a/b"), 0700u);
  EXPECT_EQ(mode_of(dir / "a/b/c"), 0700u);
}

TEST(DirectoryTest, LeavesWhatIsThereAsItIs) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "a");
  ::chmod((dir / "a").c_str(), 0755);
  make_private_directories(dir / "a/b");
  make_private_directories(dir / "a/b");
  EXPECT_EQ(mode_of(dir / "a"), 0755u);
}

TEST(DirectoryTest, MakesAgainWhatOthersDeleteMeanwhile) {
  const TempDir dir;
  const pid_t parent = ::getpid();
  const pid_t child = fork_child([&] {
    std::error_code ignored;  // it comes back while it is being removed
    while (::getppid() == parent) std::filesystem::remove_all(dir / "a", ignored);
    return true;
  });
  for (int round = 0; round < 2000; ++round)
    EXPECT_NO_THROW(make_private_directories(dir / "a/b/c/d")) << round;
  ::kill(child, SIGKILL);
  EXPECT_EQ(wait_for(child), -SIGKILL);
}

TEST(DirectoryTest, SaysWhatIsInTheWay) {
  const TempDir dir;
  write_file(dir / "file", "x");
  for (const char* path : {"file", "file/below"}) {
    try {
      make_private_directories(dir / path);
      FAIL() << path;
    } catch (const StoreError& e) {
      EXPECT_NE(std::string(e.what()).find("/file"), std::string::npos) << e.what();
    }
  }
  EXPECT_THROW(make_private_directories("/proc/confab"), StoreError);
}

}  // namespace
}  // namespace confab::sessions
