// SPDX-License-Identifier: MIT
// Reads every block of the prompt cache and removes the damaged ones, which would otherwise go
// unnoticed until they are needed.
#pragma once

#include <cstdint>
#include <functional>

#include "sessions/blocks/block_directory.h"

namespace confab::sessions {

struct CheckProgress {
  std::uint64_t n_done = 0;  // blocks checked so far
  std::uint64_t n_blocks = 0;
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes = 0;
};

struct CheckResult {
  std::uint64_t n_good = 0;
  std::uint64_t bytes_good = 0;
  Removed damaged;
  std::uint64_t n_unread = 0;  // could not be opened at the moment, or vanished meanwhile
  bool finished = false;       // false: go_on() returned false
};

// Calls go_on() with the progress before each block and once at the end; false stops the check.
CheckResult check_blocks(const BlockDirectory& directory,
                         const std::function<bool(const CheckProgress&)>& go_on);

}  // namespace confab::sessions
