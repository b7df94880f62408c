// SPDX-License-Identifier: MIT
// What the tests of sessions/ share: file modes, child processes, a small file system.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/temp_dir.h"

namespace confab::sessions {

inline mode_t mode_of(const std::filesystem::path& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

// Runs f() in a child process, which must return true and throw nothing.
template <class F>
pid_t fork_child(F f) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  int status = 1;
  try {
    status = f() ? 0 : 2;
  } catch (const std::exception& e) {
    fprintf(stderr, "child: %s\n", e.what());
  }
  ::_exit(status);
}

inline int wait_for(pid_t pid) {  // the exit status, or minus the signal
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
  }
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

// In a child process: a file system of its own with so many bytes. False: not allowed here.
inline bool mount_small_file_system(const std::filesystem::path& path, std::size_t bytes) {
  const std::string user = std::to_string(::geteuid());
  const std::string group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    write_file("/proc/self/uid_map", user + " " + user + " 1");
    write_file("/proc/self/setgroups", "deny");  // else gid_map may not be written
    write_file("/proc/self/gid_map", group + " " + group + " 1");
  }
  const std::string size = "size=" + std::to_string(bytes);
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", path.c_str(), "tmpfs", 0, size.c_str()) == 0;
}

}  // namespace confab::sessions
