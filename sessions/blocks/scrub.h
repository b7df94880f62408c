// SPDX-License-Identifier: MIT
// Reads every block of the prompt cache and removes the damaged ones, which would otherwise be
// noticed when they are wanted.
#pragma once

#include <cstdint>
#include <functional>

#include "sessions/blocks/block_directory.h"

namespace confab::sessions {

struct CheckProgress {
  std::uint64_t n_done = 0;  // blocks
  std::uint64_t n_blocks = 0;
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes = 0;
};

struct CheckResult {
  std::uint64_t n_good = 0;
  std::uint64_t bytes_good = 0;
  Removed damaged;
  std::uint64_t n_unread = 0;  // could not be opened just now, or were gone meanwhile
  bool finished = false;       // false: go_on() ended it
};

// go_on() is told how far it is before each block and once at the end.
CheckResult check_blocks(const BlockDirectory& directory,
                         const std::function<bool(const CheckProgress&)>& go_on);

}  // namespace confab::sessions
