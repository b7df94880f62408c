// SPDX-License-Identifier: MIT
// What is piped into the program, read to its end. Nothing that was piped in is lost, and nothing
// is waited for without a word.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include <string>
#include <string_view>

namespace confab::app {

enum class InputWish {
  none,
  // A pipe on which nothing comes within the grace is left alone, as one that was inherited and
  // that nobody writes to.
  if_there,
  // A pipe is waited for.
  awaited,
  // So is a terminal, and whatever else it may be.
  asked_for,
};

struct InputPatience {
  std::chrono::milliseconds grace{200};
  std::chrono::milliseconds silent{1000};  // from here on waiting is told
  std::size_t max_bytes = std::size_t{64} << 20;
};

// All of a descriptor's input; empty: it is closed, at its end, left alone, or a device that was
// not asked for (a terminal, /dev/null). `tell` gets a line, without a full stop, for a wait and
// for what was left alone. Throws UserError when it cannot be read, or has too many bytes.
std::string read_input(int fd, InputWish wish, const std::function<void(std::string_view)>& tell,
                       const InputPatience& patience = {});

}  // namespace confab::app
