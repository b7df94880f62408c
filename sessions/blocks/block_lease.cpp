// SPDX-License-Identifier: MIT
#include "sessions/blocks/block_lease.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>

#include <cerrno>

namespace confab::sessions {
namespace {

// in_use() holds an exclusive lock for a moment. A lock that lasts longer is not ours, and is not
// waited for.
constexpr int kAttempts = 100;

Fd open_block(const std::filesystem::path& path) noexcept {
  return Fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

}  // namespace

BlockLease::BlockLease(const std::filesystem::path& deepest) noexcept : fd_(open_block(deepest)) {
  for (int attempt = 0; fd_ && ::flock(fd_.get(), LOCK_SH | LOCK_NB) != 0; ++attempt) {
    if (attempt < kAttempts && (errno == EWOULDBLOCK || errno == EINTR)) {
      ::sched_yield();
    } else {
      fd_ = Fd();
    }
  }
}

bool BlockLease::in_use(const std::filesystem::path& path) noexcept {
  const Fd fd = open_block(path);
  if (!fd) return errno == EMFILE || errno == ENFILE || errno == ENOMEM;
  return ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace confab::sessions
