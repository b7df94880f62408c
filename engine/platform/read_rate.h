// SPDX-License-Identifier: MIT
// How fast a disk gives what nobody has in memory.
#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>

namespace confab::engine::platform {

// Bytes a second that pieces from all over the file come at, 0 when it cannot be read. They are
// read as weights are, by touching mapped pages that are not in memory yet; where all are, past the
// page cache (O_DIRECT, F_NOCACHE), which is faster than faults are. Takes `limit`, and the time
// of one piece, at most; ends sooner once enough was read, or when asked to stop.
double measure_read_rate(const std::filesystem::path& file, std::chrono::milliseconds limit,
                         const std::stop_token& stop = {});

}  // namespace confab::engine::platform
