// SPDX-License-Identifier: MIT
#include "sessions/publish.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <thread>

#include "tests/sessions/processes.h"

namespace confab::sessions {
namespace {

// From now on files without a name cannot be made by this thread, as on file systems that have
// none.
bool refuse_unnamed_files() {
  constexpr std::uint32_t kBit = O_TMPFILE & ~O_DIRECTORY;
  auto program = std::to_array<sock_filter>({
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kBit, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  });
  const sock_fprog filter{program.size(), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 &&
         ::open("/tmp", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0400) < 0 && errno == EOPNOTSUPP;
}

class PublishTest : public testing::TestWithParam<bool> {
 protected:
  int publish(const char* name, std::string_view first, std::string_view second) {
    const bool has_unnamed = GetParam();
    int error = -1;
    std::thread([&] {
      if (!has_unnamed && !refuse_unnamed_files()) return;
      error = publish_file(dir / name, std::as_bytes(std::span(first)), second);
    }).join();
    return error;
  }
  std::ptrdiff_t n_files() const {
    return std::distance(std::filesystem::directory_iterator(dir.path()), {});
  }
  TempDir dir;
};

INSTANTIATE_TEST_SUITE_P(Both, PublishTest, testing::Bool());

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
