// SPDX-License-Identifier: MIT
#include "engine/gguf/atomic_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>

#include "engine/error.h"
#include "tests/engine/error_of.h"
#include "tests/temp_dir.h"

namespace confab::engine {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::size_t n_files(const TempDir& dir) {
  const auto files = std::filesystem::directory_iterator(dir.path());
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST(AtomicFileTest, AppearsWhenItIsCommitted) {
  const TempDir dir;
  const std::string path = (dir / "new.gguf").string();
  AtomicFile file(path);
  file.write(bytes_of("one "));
  file.write(bytes_of("two"));
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit();
  EXPECT_EQ(read_file(path), "one two");
  EXPECT_EQ(n_files(dir), 1U);
}

TEST(AtomicFileTest, WithoutCommitTheOldFileStays) {
  const TempDir dir;
  const std::string path = dir.file("old.gguf", "old");
  { AtomicFile(path).write(bytes_of("new")); }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(n_files(dir), 1U);
}

TEST(AtomicFileTest, ReplacesTheOldFile) {
  const TempDir dir;
  const std::string path = dir.file("old.gguf", "old and longer");
  AtomicFile file(path);
  file.write(bytes_of("new"));
  file.commit();
  EXPECT_EQ(read_file(path), "new");
}

TEST(AtomicFileTest, TellsWhenTheFolderIsMissing) {
  const std::string error = error_of([] { AtomicFile("/no/such/folder/x.gguf"); });
  EXPECT_EQ(error, "/no/such/folder/x.gguf: cannot be created: No such file or directory");
}

// Stands for a full disk: a limit on the size of files.
TEST(AtomicFileTest, AWriteThatFailsLeavesNothingBehind) {
  const TempDir dir;
  signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 1000;
  std::string error;
  {
    AtomicFile file((dir / "big.gguf").string());
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    error = error_of([&] { file.write(bytes_of(std::string(5000, 'x'))); });
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  }
  EXPECT_NE(error.find("big.gguf: cannot be written: "), std::string::npos) << error;
  EXPECT_EQ(n_files(dir), 0U);
}

}  // namespace
}  // namespace confab::engine
