// SPDX-License-Identifier: MIT
// How much memory this process can still have.
#pragma once

#include <cstdint>
#include <filesystem>

namespace confab::engine::platform {

// Bytes that can be used without swapping, page cache counted as free. Linux: the kernel's own
// estimate (MemAvailable), or what the limits of the control groups (v1, v2) that the process is in
// leave, when that is less. macOS: pages that are free, hold files or may be purged. UINT64_MAX
// when nobody says.
std::uint64_t available_memory();
#ifdef __linux__
// The same with /proc and /sys below another root.
std::uint64_t available_memory(const std::filesystem::path& root);
#endif

}  // namespace confab::engine::platform
