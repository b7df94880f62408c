// SPDX-License-Identifier: MIT
// A library for LD_PRELOAD that lets the N-th call on files below a folder go wrong. Linux only.
//
//   CONFAB_FAULT_DIR      the folder, without symbolic links; other files are left alone
//   CONFAB_FAULT          what happens, which also says which calls count: kFaults
//   CONFAB_FAULT_AT       at which call, from 1; 0 or nothing: never
//   CONFAB_FAULT_FOREVER  if set, at all later calls as well
//   CONFAB_FAULT_LOG      every call that counts appends its name and path, one line each
//   CONFAB_FAULT_SLOW_US  every wake-up of another thread by eventfd, so every few tokens of an
//                         answer, takes so many microseconds more
//
// It goes to the kernel by syscall(), so that it neither recurses nor needs the real functions,
// and it allocates nothing.
#include <dirent.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "tests/faults/shim_faults.h"

namespace confab::faults {
namespace {

// Where a mapped file below the folder begins and ends.
struct Range {
  std::atomic<const char*> begin = nullptr;
  std::atomic<size_t> size = 0;
};
Range ranges[1024];
std::atomic<size_t> n_ranges = 0;

unsigned kinds_of_open(int flags) {
  const bool makes = (flags & (O_CREAT | O_TRUNC)) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return makes ? kOpens | kChanges | kAllocates : kOpens | kReads;
}

int open_at(int fd, const char* path, int flags, mode_t mode) {
  return pass("open", kinds_of_open(flags), Place(fd, path),
              [&] { return static_cast<int>(syscall(SYS_openat, fd, path, flags, mode)); });
}

mode_t mode_of(int flags, va_list arguments) {
  const bool has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return has_mode ? va_arg(arguments, mode_t) : 0;
}

int remove_at(const char* name, int fd, const char* path, int flags) {
  return pass(name, kChanges, Place(fd, path),
              [&] { return static_cast<int>(syscall(SYS_unlinkat, fd, path, flags)); });
}

int link_at(int from_fd, const char* from, int to_fd, const char* to, int flags) {
  return pass("link", kChanges | kAllocates, Place(to_fd, to), [&] {
    return static_cast<int>(syscall(SYS_linkat, from_fd, from, to_fd, to, flags));
  });
}

int rename_at(int from_fd, const char* from, int to_fd, const char* to) {
  return pass("rename", kChanges | kAllocates, Place(to_fd, to), [&] {
    return static_cast<int>(syscall(SYS_renameat2, from_fd, from, to_fd, to, 0));
  });
}

int make_directory_at(int fd, const char* path, mode_t mode) {
  return pass("mkdir", kChanges | kAllocates, Place(fd, path),
              [&] { return static_cast<int>(syscall(SYS_mkdirat, fd, path, mode)); });
}

int truncate_fd(int fd, off_t size) {
  return pass("ftruncate", kChanges | kAllocates, Place(fd),
              [&] { return static_cast<int>(syscall(SYS_ftruncate, fd, size)); });
}

// fsync is where a disk tells late that it is full.
int sync_fd(const char* name, long number, int fd) {
  return pass(name, kChanges | kAllocates, Place(fd),
              [&] { return static_cast<int>(syscall(number, fd)); });
}

ssize_t write_at(const char* name, int fd, const void* bytes, size_t n, off_t offset) {
  return pass_write(name, Place(fd), n, [&](size_t part) {
    return static_cast<ssize_t>(syscall(SYS_pwrite64, fd, bytes, part, offset));
  });
}

ssize_t read_at(int fd, void* bytes, size_t n, off_t offset) {
  return pass("pread", kReads, Place(fd),
              [&] { return static_cast<ssize_t>(syscall(SYS_pread64, fd, bytes, n, offset)); });
}

void* map_file(void* address, size_t n, int protection, int flags, int fd, off_t offset) {
  const auto call = [&] { return syscall(SYS_mmap, address, n, protection, flags, fd, offset); };
  if (fd < 0 || (flags & MAP_ANONYMOUS) != 0) return reinterpret_cast<void*>(call());
  const Place place(fd);
  void* mapped = reinterpret_cast<void*>(pass("mmap", kMaps, place, call));
  if (mapped != MAP_FAILED && place.is_ours()) {
    Range& range = ranges[n_ranges.fetch_add(1) % (sizeof ranges / sizeof ranges[0])];
    range.begin = static_cast<const char*>(mapped);
    range.size = n;
  }
  return mapped;
}

bool is_mapped_file(const void* address) {
  const char* at = static_cast<const char*>(address);
  for (const Range& range : ranges)
    if (range.begin != nullptr && at >= range.begin && at < range.begin + range.size) return true;
  return false;
}

// Calls on addresses have no path: the folder stands for it.
template <class Call>
int pass_mapped(const char* name, const void* address, Call call) {
  const Place place(AT_FDCWD, is_mapped_file(address) ? settings.directory : "/");
  return pass(name, kMaps, place, call);
}

bool makes_file(const char* mode) {
  return strpbrk(mode, "wa+") != nullptr;
}

FILE* open_stream(const char* path, const char* mode) {
  using Open = FILE* (*)(const char*, const char*);
  static const Open real = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "fopen64"));
  const unsigned kinds = makes_file(mode) ? kOpens | kChanges | kAllocates : kOpens | kReads;
  const long stream = pass("fopen", kinds, Place(AT_FDCWD, path),
                           [&] { return reinterpret_cast<long>(real(path, mode)); });
  return stream == -1 ? nullptr : reinterpret_cast<FILE*>(stream);
}

}  // namespace
}  // namespace confab::faults

extern "C" {

using namespace confab::faults;

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(AT_FDCWD, path, flags, mode);
}
int openat(int fd, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(fd, path, flags, mode);
}
int openat64(int fd, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(fd, path, flags, mode);
}
FILE* fopen(const char* path, const char* mode) {
  return open_stream(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return open_stream(path, mode);
}
// glibc opens the directory itself: as a descriptor first, so that it can be refused.
DIR* opendir(const char* path) {
  const int fd = open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC, 0);
  return fd < 0 ? nullptr : fdopendir(fd);
}

ssize_t write(int fd, const void* bytes, size_t n) {
  const Place place(fd);
  if (settings.slow_us > 0 && strstr(place.text(), "[eventfd]") != nullptr) {
    const timespec pause{settings.slow_us / 1'000'000, settings.slow_us % 1'000'000 * 1000};
    nanosleep(&pause, nullptr);
  }
  return pass_write("write", place, n, [&](size_t part) {
    return static_cast<ssize_t>(syscall(SYS_write, fd, bytes, part));
  });
}
ssize_t pwrite(int fd, const void* bytes, size_t n, off_t offset) {
  return write_at("pwrite", fd, bytes, n, offset);
}
ssize_t pwrite64(int fd, const void* bytes, size_t n, off64_t offset) {
  return write_at("pwrite", fd, bytes, n, offset);
}
// Of several pieces the first is written alone: as short as a writev may be.
ssize_t writev(int fd, const iovec* parts, int n_parts) {
  size_t n = 0;
  for (int i = 0; i < n_parts; ++i) n += parts[i].iov_len;
  return pass_write("writev", Place(fd), n, [&](size_t part) {
    return static_cast<ssize_t>(part == n ? syscall(SYS_writev, fd, parts, n_parts)
                                          : syscall(SYS_writev, fd, parts, 1));
  });
}

int fsync(int fd) {
  return sync_fd("fsync", SYS_fsync, fd);
}
int fdatasync(int fd) {
  return sync_fd("fdatasync", SYS_fdatasync, fd);
}
int ftruncate(int fd, off_t size) noexcept {
  return truncate_fd(fd, size);
}
int ftruncate64(int fd, off64_t size) noexcept {
  return truncate_fd(fd, size);
}

int link(const char* from, const char* to) noexcept {
  return link_at(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int linkat(int from_fd, const char* from, int to_fd, const char* to, int flags) noexcept {
  return link_at(from_fd, from, to_fd, to, flags);
}
int rename(const char* from, const char* to) noexcept {
  return rename_at(AT_FDCWD, from, AT_FDCWD, to);
}
int renameat(int from_fd, const char* from, int to_fd, const char* to) noexcept {
  return rename_at(from_fd, from, to_fd, to);
}
int unlink(const char* path) noexcept {
  return remove_at("unlink", AT_FDCWD, path, 0);
}
int unlinkat(int fd, const char* path, int flags) noexcept {
  return remove_at("unlink", fd, path, flags);
}
int rmdir(const char* path) noexcept {
  return remove_at("rmdir", AT_FDCWD, path, AT_REMOVEDIR);
}
int remove(const char* path) noexcept {
  const int result = remove_at("unlink", AT_FDCWD, path, 0);
  return result < 0 && errno == EISDIR ? remove_at("rmdir", AT_FDCWD, path, AT_REMOVEDIR) : result;
}
int mkdir(const char* path, mode_t mode) noexcept {
  return make_directory_at(AT_FDCWD, path, mode);
}
int mkdirat(int fd, const char* path, mode_t mode) noexcept {
  return make_directory_at(fd, path, mode);
}

int utimensat(int fd, const char* path, const timespec times[2], int flags) noexcept {
  return pass("utimensat", kChanges, Place(fd, path),
              [&] { return static_cast<int>(syscall(SYS_utimensat, fd, path, times, flags)); });
}
int futimens(int fd, const timespec times[2]) noexcept {
  return pass("futimens", kChanges, Place(fd),
              [&] { return static_cast<int>(syscall(SYS_utimensat, fd, nullptr, times, 0)); });
}
int flock(int fd, int operation) noexcept {
  return pass("flock", kChanges, Place(fd),
              [&] { return static_cast<int>(syscall(SYS_flock, fd, operation)); });
}
int fchmod(int fd, mode_t mode) noexcept {
  return pass("fchmod", kChanges, Place(fd),
              [&] { return static_cast<int>(syscall(SYS_fchmod, fd, mode)); });
}
int chmod(const char* path, mode_t mode) noexcept {
  return pass("chmod", kChanges, Place(AT_FDCWD, path),
              [&] { return static_cast<int>(syscall(SYS_fchmodat, AT_FDCWD, path, mode)); });
}
int fchmodat(int fd, const char* path, mode_t mode, int flags) noexcept {
  static_cast<void>(flags);  // the kernel's call has none
  return pass("chmod", kChanges, Place(fd, path),
              [&] { return static_cast<int>(syscall(SYS_fchmodat, fd, path, mode)); });
}

ssize_t read(int fd, void* bytes, size_t n) {
  return pass("read", kReads, Place(fd),
              [&] { return static_cast<ssize_t>(syscall(SYS_read, fd, bytes, n)); });
}
ssize_t pread(int fd, void* bytes, size_t n, off_t offset) {
  return read_at(fd, bytes, n, offset);
}
ssize_t pread64(int fd, void* bytes, size_t n, off64_t offset) {
  return read_at(fd, bytes, n, offset);
}

void* mmap(void* address, size_t n, int protection, int flags, int fd, off_t offset) noexcept {
  return map_file(address, n, protection, flags, fd, offset);
}
void* mmap64(void* address, size_t n, int protection, int flags, int fd, off64_t offset) noexcept {
  return map_file(address, n, protection, flags, fd, offset);
}
int mprotect(void* address, size_t n, int protection) noexcept {
  return pass_mapped("mprotect", address, [&] {
    return static_cast<int>(syscall(SYS_mprotect, address, n, protection));
  });
}
int madvise(void* address, size_t n, int advice) noexcept {
  return pass_mapped("madvise", address,
                     [&] { return static_cast<int>(syscall(SYS_madvise, address, n, advice)); });
}

}  // extern "C"
