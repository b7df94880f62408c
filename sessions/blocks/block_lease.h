// SPDX-License-Identifier: MIT
// Tells all programs that share a cache that a chain of blocks is in use: the file of its deepest
// block is held open with a shared lock (flock). Eviction removes leaves first, so all blocks
// before it stay too.
//
// A lease keeps the chain from being evicted; it does not stop anybody from deleting it. It ends
// with the process at the latest.
#pragma once

#include <filesystem>

#include "sessions/fd.h"

namespace confab::sessions {

class BlockLease {
 public:
  BlockLease() = default;  // holds no block
  // Holds no block if the file cannot be opened or locked.
  explicit BlockLease(const std::filesystem::path& deepest) noexcept;

  bool held() const noexcept { return static_cast<bool>(fd_); }

  // Whether anybody, this process included, holds a lease of exactly this file. Also true if that
  // cannot be found out because too many files are open.
  static bool in_use(const std::filesystem::path& path) noexcept;

 private:
  Fd fd_;
};

}  // namespace confab::sessions
