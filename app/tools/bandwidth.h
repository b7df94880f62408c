// SPDX-License-Identifier: MIT
// Measures how fast this machine, or a graphics processor, can read its memory, which limits the
// speed of decoding.
#pragma once

#include <cstddef>

#include "kernels/kernel_table.h"
#include "kernels/thread_pool.h"

namespace confab::kernels::vulkan {
struct GpuInfo;
}

namespace confab::app {

// A size that mostly exceeds this machine's caches: four times the last level, at least 1 GiB, but
// at most a quarter of the free memory.
std::size_t bytes_beyond_caches();

// Gigabytes (1e9) per second that the team reads from a buffer of n_bytes (1 MiB or more), in huge
// pages if the system has them. Returns the best of several rounds of several ways to read, one of
// which is the decoding of a token with `table`. Takes a second or two; on a busy machine it reads
// fewer times. Throws std::bad_alloc.
double measure_read_gbs(kernels::ThreadPool& pool, const kernels::KernelTable& table,
                        std::size_t n_bytes);

// Gigabytes (1e9) a second that a graphics processor reads in a matrix product which is larger than
// its caches: the best of several rounds. Takes less than a second, except on a software renderer.
// Returns 0 if the device fails or has no room for 286 MB more.
double measure_device_gbs(const kernels::vulkan::GpuInfo& info);

}  // namespace confab::app
