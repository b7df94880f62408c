// SPDX-License-Identifier: MIT
// Says to all programs that share a cache that a chain of blocks is in use: the file of its deepest
// block is open and has a shared lock (flock). Blocks leave leaf first, so all before it stay too.
//
// A lease keeps a path from being evicted; it keeps nobody from deleting it. It ends with the
// process at the latest.
#pragma once

#include <filesystem>

#include "sessions/fd.h"

namespace confab::sessions {

class BlockLease {
 public:
  BlockLease() = default;  // of nothing
  // Of nothing as well when the file cannot be opened or locked.
  explicit BlockLease(const std::filesystem::path& deepest) noexcept;

  bool held() const noexcept { return static_cast<bool>(fd_); }

  // Somebody, this process included, holds a lease of exactly this file; or it cannot be told,
  // because too many files are open.
  static bool in_use(const std::filesystem::path& path) noexcept;

 private:
  Fd fd_;
};

}  // namespace confab::sessions
