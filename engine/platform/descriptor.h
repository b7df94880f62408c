// SPDX-License-Identifier: MIT
// File descriptors: one that closes itself, and a way to flush one to disk.
#pragma once

#include <unistd.h>

#include <utility>

namespace confab::engine::platform {

class Descriptor {
 public:
  // A negative fd means there is none.
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

// Returns 0 once everything written to the open file or folder will survive a power loss. On
// failure returns -1 and sets errno; EINVAL means that this kind of file never supports it.
int sync_file(int fd) noexcept;

}  // namespace confab::engine::platform
