// SPDX-License-Identifier: MIT
#include "engine/platform/wake_fd.h"

#include <fcntl.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/eventfd.h>
#endif

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "engine/error.h"

namespace confab::engine::platform {
namespace {

[[noreturn]] void fail(const char* call) {
  throw ModelError(std::string(call) + ": " + std::generic_category().message(errno));
}

}  // namespace

#ifdef __linux__

WakeFd::WakeFd() : read_fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)), write_fd_(read_fd_) {
  if (read_fd_ < 0) fail("eventfd");
}

WakeFd::~WakeFd() {
  ::close(read_fd_);
}

#else

WakeFd::WakeFd() {
  int ends[2];
  if (::pipe(ends) != 0) fail("pipe");
  for (const int end : ends) {
    ::fcntl(end, F_SETFL, O_NONBLOCK);
    ::fcntl(end, F_SETFD, FD_CLOEXEC);
  }
  read_fd_ = ends[0];
  write_fd_ = ends[1];
}

WakeFd::~WakeFd() {
  ::close(read_fd_);
  ::close(write_fd_);
}

#endif

// A full buffer means already readable, and an empty one already cleared. So only EINTR is retried.
void WakeFd::set() noexcept {
  const std::uint64_t one = 1;
  while (::write(write_fd_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void WakeFd::clear() noexcept {
  std::uint64_t buffer[8];
  ssize_t n = 0;
  do {
    n = ::read(read_fd_, buffer, sizeof buffer);
  } while (n > 0 || (n < 0 && errno == EINTR));
}

}  // namespace confab::engine::platform
