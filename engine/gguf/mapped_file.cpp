// SPDX-License-Identifier: MIT
#include "engine/gguf/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <functional>
#include <system_error>
#include <utility>

#include "engine/error.h"
#include "engine/platform/descriptor.h"
#include "engine/platform/fault_guard.h"
#include "engine/platform/mapped_range.h"
#include "engine/platform/memory.h"
#include "engine/size_text.h"

namespace confab::engine {
namespace {

using platform::Descriptor;

// The range that one fault replaces with zeros. It is much larger than a page, so that losing a
// large file takes few faults, yet small enough to lose little of what can still be read.
constexpr std::size_t kSlotBytes = std::size_t{2} << 20;

[[noreturn]] void fail(const std::string& path, std::string_view doing, int error) {
  throw ModelError(
      fmt::format("{}: cannot {}: {}", path, doing, std::generic_category().message(error)));
}

// The modification time changes with the content, the change time with the inode.
struct Times {
  explicit Times(const struct stat& status) noexcept
#ifdef __APPLE__
      : modified(status.st_mtimespec),
        changed(status.st_ctimespec){}
#else
      : modified(status.st_mtim), changed(status.st_ctim) {
  }
#endif
        timespec modified;
  timespec changed;
};

bool equal(const timespec& a, const timespec& b) noexcept {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

std::string identity_of(const struct stat& status) {
  const Times times(status);
  return fmt::format("{} {} {} {}.{:09} {}.{:09}", status.st_dev, status.st_ino, status.st_size,
                     times.modified.tv_sec, times.modified.tv_nsec, times.changed.tv_sec,
                     times.changed.tv_nsec);
}

Descriptor open_file(const std::string& path, struct stat& status) {
  // O_NONBLOCK keeps open() from waiting for the writer of a FIFO. It has no effect on regular
  // files.
  Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) fail(path, "open the file", errno);
  if (::fstat(fd.get(), &status) != 0) fail(path, "examine the file", errno);
  if (!S_ISREG(status.st_mode)) {
    throw ModelError(fmt::format("{}: is {}, expected a regular file", path,
                                 S_ISDIR(status.st_mode) ? "a directory" : "a special file"));
  }
  return fd;
}

// Returns if the address space limit is not the cause.
void refuse_beyond_limit(const std::string& path, std::size_t n_bytes) {
  const auto limit = platform::address_limit();
  if (!limit || limit->left_bytes >= n_bytes) return;
  throw ModelError(fmt::format(
      "{}: needs {} of address space, but only {} of {} is left by the limit on it (ulimit -v); "
      "raise the limit, or use a smaller model",
      path, size_text(n_bytes), size_text(limit->left_bytes), size_text(limit->limit_bytes)));
}

// The range is rounded up to whole pages, as the system maps it.
std::span<std::byte> map_file(const std::string& path, const Descriptor& fd, std::size_t n_bytes) {
  if (n_bytes == 0) return {};
  void* start = ::mmap(nullptr, n_bytes, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (start == MAP_FAILED) {
    const int error = errno;
    if (error == ENOMEM) refuse_beyond_limit(path, n_bytes);
    fail(path, "map the file", error);
  }
  const std::size_t page = platform::page_bytes();
  return {static_cast<std::byte*>(start), (n_bytes + page - 1) / page * page};
}

}  // namespace

struct MappedFile::Mapping {
  Mapping(const std::string& path, Descriptor file, const struct stat& found)
      : status(found),
        fd(std::move(file)),
        range(map_file(path, fd, static_cast<std::size_t>(found.st_size))),
        guard(range.data(), range.size(), kSlotBytes) {
    guard.arm();
  }

  const struct stat status;  // taken when the file was mapped
  const Descriptor fd;
  const platform::MappedRange range;
  platform::FaultGuard guard;
};

MappedFile::MappedFile(const std::string& path) {
  struct stat status {};
  Descriptor fd = open_file(path, status);
  identity_ = identity_of(status);
  mapping_ = std::make_unique<Mapping>(path, std::move(fd), status);
  bytes_ = {mapping_->range.data(), static_cast<std::size_t>(status.st_size)};
}

MappedFile::~MappedFile() = default;

MappedFile::MappedFile(MappedFile&& other) noexcept
    : mapping_(std::move(other.mapping_)),
      bytes_(std::exchange(other.bytes_, {})),
      identity_(std::move(other.identity_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  mapping_ = std::move(other.mapping_);
  bytes_ = std::exchange(other.bytes_, {});
  identity_ = std::move(other.identity_);
  return *this;
}

FileState MappedFile::state() const noexcept {
  if (mapping_->guard.has_lost()) return FileState::changed;
  struct stat now {};
  if (::fstat(mapping_->fd.get(), &now) != 0) return FileState::touched;  // unknown
  const Times before(mapping_->status), after(now);
  if (now.st_size != mapping_->status.st_size || !equal(before.modified, after.modified)) {
    return FileState::changed;
  }
  return equal(before.changed, after.changed) ? FileState::same : FileState::touched;
}

void MappedFile::guard() const noexcept {
  mapping_->guard.arm();
}

void MappedFile::give_back() const noexcept {
  platform::give_back({mapping_->range.data(), mapping_->range.size()});
}

bool MappedFile::has(std::span<const std::byte> part) const noexcept {
  const std::less_equal<const std::byte*> not_after;  // a total order even for unrelated pointers
  return not_after(bytes_.data(), part.data()) &&
         not_after(part.data() + part.size(), bytes_.data() + bytes_.size());
}

void MappedFile::copy(std::span<const std::byte> part, std::byte* to) const noexcept {
  assert(has(part));
  const auto offset = static_cast<off_t>(part.data() - bytes_.data());
  if (::pread(mapping_->fd.get(), to, part.size(), offset) == std::ssize(part)) return;
  std::memcpy(to, part.data(), part.size());  // if it cannot be read, the guard notices
}

void MappedFile::read_soon() const noexcept {
  platform::read_soon(bytes_);
}

}  // namespace confab::engine
