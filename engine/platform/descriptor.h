// SPDX-License-Identifier: MIT
// A file descriptor that is closed with its owner.
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

}  // namespace confab::engine::platform
