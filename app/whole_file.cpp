// SPDX-License-Identifier: MIT
#include "app/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "app/figures.h"
#include "sessions/fd.h"

namespace confab::app {
namespace {

constexpr int kNotAFile = ENXIO;

// People give /dev/null where a file is required and they have none: it counts as an empty file.
bool is_null_device(const struct stat& status) {
  struct stat null {};
  return S_ISCHR(status.st_mode) && ::stat("/dev/null", &null) == 0 &&
         null.st_rdev == status.st_rdev;
}

// Returns 0 if the file may be read, otherwise an errno.
int fault_of(const struct stat& status, bool is_terminal, const FileLimits& limits) {
  if (S_ISDIR(status.st_mode)) return EISDIR;
  if (S_ISREG(status.st_mode))
    return static_cast<std::uint64_t>(status.st_size) > limits.most ? EFBIG : 0;
  if (is_null_device(status)) return 0;
  const bool is_pipe = S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || is_terminal;
  return is_pipe && limits.takes_pipes ? 0 : kNotAFile;
}

// Opens a pipe in blocking mode, so that it waits for a writer. Everything else is opened without
// blocking, because some system files stay silent until something happens.
sessions::Fd open_file(const std::filesystem::path& file, const FileLimits& limits) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {};
  errno = fault_of(status, S_ISCHR(status.st_mode), limits);
  if (errno != 0) return {};
  const bool waits = limits.takes_pipes && !S_ISREG(status.st_mode);
  return sessions::Fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK)));
}

}  // namespace

std::optional<std::string> whole_file(const std::filesystem::path& file, const FileLimits& limits) {
  const sessions::Fd fd = open_file(file, limits);
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return std::nullopt;
  errno = fault_of(status, ::isatty(fd.get()) == 1, limits);
  if (errno != 0) return std::nullopt;
  std::string text;
  std::vector<char> bytes(std::size_t{1} << 16);
  for (;;) {
    const ssize_t n = ::read(fd.get(), bytes.data(), bytes.size());
    if (n == 0) return text;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      if (errno == EAGAIN) errno = kNotAFile;
      return std::nullopt;
    }
    const bool is_first = text.empty();
    text.append(bytes.data(), static_cast<std::size_t>(n));
    if (is_first && limits.goes_on && !limits.goes_on(text)) return text;
    if (text.size() > limits.most) {
      errno = EFBIG;
      return std::nullopt;
    }
  }
}

std::string read_fault(int error, const FileLimits& limits) {
  if (error == EISDIR) return "is a directory, not a file";
  if (error == kNotAFile) return "is not a file";
  if (error == EFBIG) return fmt::format("larger than {}", size_text(limits.most));
  return error == 0 ? "cannot be read" : std::strerror(error);
}

}  // namespace confab::app
