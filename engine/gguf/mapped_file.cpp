// SPDX-License-Identifier: MIT
#include "engine/gguf/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "engine/error.h"

namespace confab::engine {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail(const std::string& path, std::string_view doing, int error) {
  throw ModelError(
      fmt::format("{}: cannot {}: {}", path, doing, std::generic_category().message(error)));
}

std::string identity_of(const struct stat& status) {
#ifdef __APPLE__
  const timespec modified = status.st_mtimespec, changed = status.st_ctimespec;
#else
  const timespec modified = status.st_mtim, changed = status.st_ctim;
#endif
  return fmt::format("{} {} {} {}.{:09} {}.{:09}", status.st_dev, status.st_ino, status.st_size,
                     modified.tv_sec, modified.tv_nsec, changed.tv_sec, changed.tv_nsec);
}

void unmap(std::span<const std::byte> bytes) noexcept {
  if (!bytes.empty()) ::munmap(const_cast<std::byte*>(bytes.data()), bytes.size());
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  // O_NONBLOCK: opening a FIFO must not wait for its writer; it changes nothing for regular files.
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) fail(path, "open the file", errno);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) fail(path, "examine the file", errno);
  if (!S_ISREG(status.st_mode)) {
    throw ModelError(fmt::format("{}: is {}, expected a regular file", path,
                                 S_ISDIR(status.st_mode) ? "a directory" : "a special file"));
  }
  identity_ = identity_of(status);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return;
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (start == MAP_FAILED) fail(path, "map the file", errno);
  bytes_ = {static_cast<const std::byte*>(start), size};
}

MappedFile::~MappedFile() {
  unmap(bytes_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), identity_(std::move(other.identity_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap(bytes_);
    bytes_ = std::exchange(other.bytes_, {});
    identity_ = std::move(other.identity_);
  }
  return *this;
}

}  // namespace confab::engine
