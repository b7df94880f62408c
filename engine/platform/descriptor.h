// SPDX-License-Identifier: MIT
// File descriptors: closed with their owner, and what was written to them safe on the disk.
#pragma once

#include <unistd.h>

#include <utility>

namespace confab::engine::platform {

class Descriptor {
 public:
  // Negative: there is none.
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

// Returns when what was written to the open file or folder survives power loss. -1, with errno:
// it cannot be said; EINVAL: never of such a file.
int sync_file(int fd) noexcept;

}  // namespace confab::engine::platform
