// SPDX-License-Identifier: MIT
// How fast a disk gives what nobody has in memory.
#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>

namespace confab::engine::platform {

// Bytes a second that pieces from all over the file are read at, past the page cache where the
// system lets us (O_DIRECT, F_NOCACHE); 0 when it cannot be read. Takes `limit`, and the time of
// one piece, at most; ends sooner once enough was read, or when asked to stop.
double measure_read_rate(const std::filesystem::path& file, std::chrono::milliseconds limit,
                         const std::stop_token& stop = {});

}  // namespace confab::engine::platform
