// SPDX-License-Identifier: MIT
#include "sessions/publish.h"

#include <signal.h>
#include <sys/resource.h>

#include <cerrno>

#include "tests/sessions/processes.h"

namespace confab::sessions {
namespace {

class PublishTest : public testing::TestWithParam<Temporary> {
 protected:
  int publish(const char* name, std::string_view first, std::string_view second) {
    return publish_file(dir / name, std::as_bytes(std::span(first)), second, GetParam());
  }
  std::ptrdiff_t n_files() const {
    return std::distance(std::filesystem::directory_iterator(dir.path()), {});
  }
  TempDir dir;
};

INSTANTIATE_TEST_SUITE_P(Both, PublishTest,
                         testing::Values(Temporary::anonymous, Temporary::named));

TEST_P(PublishTest, WritesBothPartsReadOnly) {
  const mode_t old = ::umask(0);
  EXPECT_EQ(publish("a", "first ", "second"), 0);
  ::umask(old);
  EXPECT_EQ(read_file(dir / "a"), "first second");
  EXPECT_EQ(mode_of(dir / "a"), 0400u);
  EXPECT_EQ(n_files(), 1);
}

TEST_P(PublishTest, TheFirstWriterWins) {
  EXPECT_EQ(publish("a", "one", ""), 0);
  EXPECT_EQ(publish("a", "two", ""), EEXIST);
  EXPECT_EQ(read_file(dir / "a"), "one");
  EXPECT_EQ(n_files(), 1);
  std::filesystem::create_symlink(dir / "nowhere", dir / "link");
  EXPECT_EQ(publish("link", "two", ""), EEXIST);
  EXPECT_EQ(n_files(), 2);
}

TEST_P(PublishTest, SaysWhenTheFolderIsMissing) {
  EXPECT_EQ(publish("missing/a", "one", ""), ENOENT);
  EXPECT_EQ(n_files(), 0);
}

TEST_P(PublishTest, WhatDoesNotFitLeavesNothing) {
  const pid_t child = fork_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return publish("a", std::string(900, 'x'), std::string(200, 'y')) == EFBIG;
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(n_files(), 0);
}

}  // namespace
}  // namespace confab::sessions
