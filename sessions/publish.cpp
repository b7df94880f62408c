// SPDX-License-Identifier: MIT
#include "sessions/publish.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <string>

#include "sessions/fd.h"

namespace confab::sessions {
namespace {

constexpr mode_t kMode = 0400;

int write_both(int fd, std::span<const std::byte> first, std::string_view second) {
  const int error = write_fully(fd, {reinterpret_cast<const char*>(first.data()), first.size()});
  return error != 0 ? error : write_fully(fd, second);
}

int publish_named(const std::filesystem::path& path, std::span<const std::byte> first,
                  std::string_view second) {
  const auto name = temporary_path(path.parent_path());
  const Fd fd(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
  if (fd.get() < 0) return errno;
  int error = write_both(fd.get(), first, second);
  // link() does not replace an existing file, as rename() would.
  if (error == 0 && ::link(name.c_str(), path.c_str()) != 0) error = errno;
  ::unlink(name.c_str());
  return error;
}

#ifdef O_TMPFILE
int publish_anonymous(int fd, const std::filesystem::path& path, std::span<const std::byte> first,
                      std::string_view second) {
  const int error = write_both(fd, first, second);
  if (error != 0) return error;
  // Needs no privilege, unlike AT_EMPTY_PATH: open(2), "O_TMPFILE".
  const std::string self = fmt::format("/proc/self/fd/{}", fd);
  return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0
                                                                                          : errno;
}
#endif

}  // namespace

std::filesystem::path temporary_path(const std::filesystem::path& directory) {
  std::random_device random;
  return directory /
         fmt::format("{}{}-{:08x}{:08x}", kTemporaryPrefix, ::getpid(), random(), random());
}

int publish_file(const std::filesystem::path& path, std::span<const std::byte> first,
                 std::string_view second) {
#ifdef O_TMPFILE
  if (::access("/proc/self/fd", X_OK) == 0) {
    const Fd fd(::open(path.parent_path().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode));
    if (fd.get() >= 0) return publish_anonymous(fd.get(), path, first, second);
    // ext4 reports EPERM for a directory that is being deleted; publish_named() then gets the
    // precise error.
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EPERM) return errno;
  }
#endif
  return publish_named(path, first, second);
}

}  // namespace confab::sessions
