// SPDX-License-Identifier: MIT
#include "engine/gguf/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "engine/error.h"
#include "engine/platform/descriptor.h"

namespace confab::engine {
namespace {

constexpr int kTries = 100;  // leftovers of killed processes with the same pid may be in the way
constexpr std::size_t kMaxWrite = std::size_t{1} << 30;  // Linux writes at most 2 GiB at once

// A rename is durable once the folder has been synced. Not all file systems support that.
void sync_folder(const std::string& path) noexcept {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const platform::Descriptor fd(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) platform::sync_file(fd.get());
}

}  // namespace

AtomicFile::AtomicFile(std::string path, Existing existing)
    : path_(std::move(path)), existing_(existing) {
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  struct stat status {};
  const bool is_there = ::stat(path_.c_str(), &status) == 0;
  if (!is_there && errno == ENAMETOOLONG) fail("cannot be created");
  for (int i = 0; i < kTries && fd_ < 0; ++i) {
    if (create(fmt::format("{}.{}-{}.partial", path_, ::getpid(), i))) break;
    // If the name is already as long as names may be, a suffix does not fit.
    const std::string short_name = fmt::format("confab-{}-{}.partial", ::getpid(), i);
    if (errno == ENAMETOOLONG && create((folder / short_name).string())) break;
    if (errno != EEXIST) break;
  }
  if (fd_ < 0) fail("cannot be created");
  if (is_there && S_ISREG(status.st_mode)) ::fchmod(fd_, status.st_mode & 0777U);
}

bool AtomicFile::create(const std::string& partial) {
  fd_ = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ >= 0) partial_ = partial;
  return fd_ >= 0;
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!partial_.empty()) ::unlink(partial_.c_str());
}

void AtomicFile::fail(const char* what) const {
  throw ModelError(fmt::format("{}: {}: {}", path_, what, std::generic_category().message(errno)));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), std::min(bytes.size(), kMaxWrite));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot be written");
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

bool AtomicFile::give_name() const {
  if (existing_ == Existing::replace) return std::rename(partial_.c_str(), path_.c_str()) == 0;
  // Unlike rename(), link() does not replace a file that another program has just made.
  if (::link(partial_.c_str(), path_.c_str()) == 0) {
    ::unlink(partial_.c_str());
    return true;
  }
  const bool no_links = errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK;
  if (!no_links) return false;
  struct stat status {};
  if (::lstat(path_.c_str(), &status) == 0) {
    errno = EEXIST;
    return false;
  }
  return std::rename(partial_.c_str(), path_.c_str()) == 0;
}

void AtomicFile::commit() {
  if (platform::sync_file(fd_) != 0 && errno != EINVAL) fail("cannot be written");
  if (::close(std::exchange(fd_, -1)) != 0) fail("cannot be written");
  if (!give_name()) fail("cannot be written");
  partial_.clear();
  sync_folder(path_);
}

}  // namespace confab::engine
