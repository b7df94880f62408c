// SPDX-License-Identifier: MIT
// A descriptor that one thread makes readable to wake another out of poll().
#pragma once

namespace confab::engine::platform {

// An eventfd on Linux, elsewhere a pipe; both are non-blocking and closed on exec.
class WakeFd {
 public:
  WakeFd();  // throws ModelError if no descriptors are left
  ~WakeFd();
  WakeFd(const WakeFd&) = delete;
  WakeFd& operator=(const WakeFd&) = delete;

  int fd() const noexcept { return read_fd_; }  // only to be polled for POLLIN
  void set() noexcept;                          // makes fd() readable
  void clear() noexcept;                        // makes fd() not readable

 private:
  int read_fd_ = -1;
  int write_fd_ = -1;
};

}  // namespace confab::engine::platform
