// SPDX-License-Identifier: MIT
// Waits for what happens next: the one poll of the program.
#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>

namespace confab::app {

// Sleeps until one of the descriptors is readable (or hung up), `writable` can be written to, or
// the time is up; nullopt: for ever. Descriptors below 0 are left out.
void wait_readable(std::initializer_list<int> fds,
                   std::optional<std::chrono::milliseconds> timeout = {}, int writable = -1);

// Whether there is something to read now.
bool is_readable(int fd);

}  // namespace confab::app
