// SPDX-License-Identifier: MIT
// Waits for the next event: the only poll in the program.
#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>

namespace confab::app {

// Sleeps until one of the descriptors is readable (or hung up), `writable` can be written to, or
// the time is up; nullopt: no limit. Ignores negative descriptors.
void wait_readable(std::initializer_list<int> fds,
                   std::optional<std::chrono::milliseconds> timeout = {}, int writable = -1);

// Whether the descriptor is readable now.
bool is_readable(int fd);

}  // namespace confab::app
