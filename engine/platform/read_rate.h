// SPDX-License-Identifier: MIT
// How fast a disk delivers data that is not in memory.
#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>

namespace confab::engine::platform {

// Bytes per second at which pieces from all over the file arrive; 0 if it cannot be read. Pieces
// are read as weights are, by touching mapped pages that are not in memory yet. If all pages are in
// memory, they are read past the page cache instead (O_DIRECT, F_NOCACHE), which is faster than
// page faults. Takes at most `limit` plus the time of one piece. Ends sooner once enough was read
// or a stop was requested.
double measure_read_rate(const std::filesystem::path& file, std::chrono::milliseconds limit,
                         const std::stop_token& stop = {});

}  // namespace confab::engine::platform
