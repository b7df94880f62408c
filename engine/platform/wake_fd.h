// SPDX-License-Identifier: MIT
// A descriptor that one thread makes readable to wake another out of poll().
#pragma once

namespace confab::engine::platform {

// An eventfd on Linux, elsewhere a pipe; both are non-blocking and closed on exec.
class WakeFd {
 public:
  WakeFd();  // throws ModelError when there are no descriptors left
  ~WakeFd();
  WakeFd(const WakeFd&) = delete;
  WakeFd& operator=(const WakeFd&) = delete;

  int fd() const noexcept { return read_fd_; }  // to poll for POLLIN; nothing else
  void set() noexcept;                          // readable from now on
  void clear() noexcept;                        // no longer readable

 private:
  int read_fd_ = -1;
  int write_fd_ = -1;
};

}  // namespace confab::engine::platform
