// SPDX-License-Identifier: MIT
// For tests that talk with a Terminal over a Pty.
#pragma once

#include <poll.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "ui/event.h"
#include "ui/terminal/terminal.h"

namespace confab::ui {

// Sleeps until there are events.
inline std::vector<Event> wait_for_events(Terminal& terminal) {
  for (;;) {
    const auto timeout = terminal.input_timeout();
    pollfd wait{.fd = terminal.input_fd(), .events = POLLIN, .revents = 0};
    poll(&wait, 1, timeout ? static_cast<int>(timeout->count()) : -1);
    std::vector<Event> events = terminal.read_events();
    if (!events.empty()) return events;
  }
}

// How often a part stands in what was written.
inline std::size_t n_times(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size()))
    ++n;
  return n;
}

}  // namespace confab::ui
