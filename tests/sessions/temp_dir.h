// SPDX-License-Identifier: MIT
// What the tests of sessions/ share: a directory of their own, files as strings, child processes.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace confab::sessions {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "confab-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp: " + name);
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

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
