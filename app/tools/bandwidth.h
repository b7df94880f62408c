// SPDX-License-Identifier: MIT
// How fast this machine can read memory, and a graphics processor its own: the ceiling of decoding.
#pragma once

#include <cstddef>

#include "kernels/kernel_table.h"
#include "kernels/thread_pool.h"

namespace confab::kernels::vulkan {
struct GpuInfo;
}

namespace confab::app {

// Bytes that no cache of this machine holds a good part of: four times its last level and at least
// 1 GiB, but no more than a quarter of the memory that is free.
std::size_t bytes_beyond_caches();

// Gigabytes (1e9) a second that the team reads from a buffer of n_bytes (1 MiB or more), in huge
// pages where the system has them: the best of several rounds of several ways to read, one of which
// is the decoding of a token by `table`. A second or two in all, on a busy machine with fewer
// reads. Throws std::bad_alloc.
double measure_read_gbs(kernels::ThreadPool& pool, const kernels::KernelTable& table,
                        std::size_t n_bytes);

// Gigabytes (1e9) a second that a graphics processor reads in a matrix product which is larger than
// its caches: the best of several rounds. Takes less than a second, except on a software renderer.
// Returns 0 if the device fails or has no room for 286 MB more.
double measure_device_gbs(const kernels::vulkan::GpuInfo& info);

}  // namespace confab::app
