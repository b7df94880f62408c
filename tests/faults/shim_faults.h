// SPDX-License-Identifier: MIT
// What the shim does at a call: which calls count, which of them go wrong, and how.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <initializer_list>

namespace confab::faults {

enum Kind : unsigned {
  kChanges = 1,    // the file system
  kWrites = 2,     // bytes
  kAllocates = 4,  // may need a block of the disk
  kOpens = 8,      // needs a descriptor
  kReads = 16,
  kMaps = 32,
};

enum class Effect { none, kill_before, kill_after, tear, shorten, fail };

struct Fault {
  const char* name;
  unsigned kinds;  // which calls count
  Effect effect;
  int error;
};

inline constexpr unsigned kAll = kChanges | kWrites | kAllocates | kOpens | kReads | kMaps;
inline constexpr Fault kFaults[] = {
    {"kill-before", kChanges | kWrites, Effect::kill_before, 0},
    {"kill-after", kChanges | kWrites, Effect::kill_after, 0},
    {"tear", kWrites, Effect::tear, 0},  // half of the bytes, then kill
    {"short", kWrites, Effect::shorten, 0},
    {"ENOSPC", kAllocates, Effect::fail, ENOSPC},
    {"EIO", kAll, Effect::fail, EIO},
    {"EROFS", kChanges | kWrites, Effect::fail, EROFS},
    {"EMFILE", kOpens, Effect::fail, EMFILE},
    {"ENFILE", kOpens, Effect::fail, ENFILE},
    {"ENOMEM", kMaps, Effect::fail, ENOMEM},
};

struct Settings {
  const char* directory = nullptr;
  size_t directory_length = 0;
  Fault fault{};
  long at = 0;
  bool forever = false;
  int log = -1;
  long slow_us = 0;
};

inline Settings settings;
inline std::atomic<long> n_calls = 0;

__attribute__((constructor)) inline void configure() {
  const char* fault = getenv("CONFAB_FAULT");
  if (fault == nullptr) return;
  for (const Fault& known : kFaults)
    if (strcmp(known.name, fault) == 0) settings.fault = known;
  if (const char* at = getenv("CONFAB_FAULT_AT")) settings.at = atol(at);
  if (const char* slow = getenv("CONFAB_FAULT_SLOW_US")) settings.slow_us = atol(slow);
  settings.forever = getenv("CONFAB_FAULT_FOREVER") != nullptr;
  if (const char* log = getenv("CONFAB_FAULT_LOG"))
    settings.log = static_cast<int>(
        syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  settings.directory = getenv("CONFAB_FAULT_DIR");
  if (settings.directory != nullptr) settings.directory_length = strlen(settings.directory);
  // They mean nothing to confab, which would say so. The text of the folder stays where it is.
  for (const char* name : {"CONFAB_FAULT", "CONFAB_FAULT_AT", "CONFAB_FAULT_SLOW_US",
                           "CONFAB_FAULT_FOREVER", "CONFAB_FAULT_LOG", "CONFAB_FAULT_DIR"})
    unsetenv(name);
}

// A path in a buffer of its own: descriptors are looked up each time, so that nothing has to be
// kept about them.
class Place {
 public:
  explicit Place(int fd) { read_link(fd); }
  Place(int fd, const char* path) {
    if (path[0] != '/') read_link(fd);
    const size_t length = strnlen(path, sizeof path_ - 2);
    if (length_ + 1 + length >= sizeof path_) return;
    if (path[0] != '/') path_[length_++] = '/';
    memcpy(path_ + length_, path, length);
    length_ += length;
    path_[length_] = '\0';
  }
  bool is_ours() const {
    return settings.directory != nullptr && length_ >= settings.directory_length &&
           memcmp(path_, settings.directory, settings.directory_length) == 0 &&
           (path_[settings.directory_length] == '/' || path_[settings.directory_length] == '\0');
  }
  const char* text() const { return path_; }

 private:
  void read_link(int fd) {
    char link[32] = "/proc/self/cwd";
    if (fd != AT_FDCWD) snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const int before = errno;
    const long n = syscall(SYS_readlinkat, AT_FDCWD, link, path_, sizeof path_ - 1);
    errno = before;
    length_ = n > 0 ? static_cast<size_t>(n) : 0;
    path_[length_] = '\0';
  }

  char path_[4096] = "";
  size_t length_ = 0;
};

inline void log_call(const char* name, const Place& place) {
  if (settings.log < 0) return;
  const int before = errno;
  iovec parts[] = {{const_cast<char*>(name), strlen(name)},
                   {const_cast<char*>(" "), 1},
                   {const_cast<char*>(place.text()), strlen(place.text())},
                   {const_cast<char*>("\n"), 1}};
  syscall(SYS_writev, settings.log, parts, 4);
  errno = before;
}

[[noreturn]] inline void die() {
  for (;;) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
}

// What is to happen at this call.
inline Effect effect_of(const char* name, unsigned kinds, const Place& place) {
  if ((settings.fault.kinds & kinds) == 0 || !place.is_ours()) return Effect::none;
  const long n = n_calls.fetch_add(1, std::memory_order_relaxed) + 1;
  log_call(name, place);
  const bool due = settings.at > 0 && (settings.forever ? n >= settings.at : n == settings.at);
  return due ? settings.fault.effect : Effect::none;
}

// A call that does all or nothing.
template <class Call>
auto pass(const char* name, unsigned kinds, const Place& place, Call call) -> decltype(call()) {
  const Effect effect = effect_of(name, kinds, place);
  if (effect == Effect::kill_before) die();
  if (effect == Effect::fail) {
    errno = settings.fault.error;
    return static_cast<decltype(call())>(-1);
  }
  const auto result = call();
  if (effect == Effect::kill_after) die();
  return result;
}

// A call that writes n bytes, or fewer.
template <class Call>
ssize_t pass_write(const char* name, const Place& place, size_t n, Call call) {
  const Effect effect = effect_of(name, kWrites | kChanges | kAllocates, place);
  if (effect == Effect::kill_before) die();
  if (effect == Effect::fail) {
    errno = settings.fault.error;
    return -1;
  }
  const bool half = (effect == Effect::tear || effect == Effect::shorten) && n > 1;
  const ssize_t written = call(half ? n / 2 : n);
  if (effect == Effect::kill_after || effect == Effect::tear) die();
  return written;
}

}  // namespace confab::faults
