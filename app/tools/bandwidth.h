// SPDX-License-Identifier: MIT
// How fast this machine can read memory: the ceiling of decoding.
#pragma once

#include "kernels/thread_pool.h"

namespace confab::app {

// Gigabytes (1e9) a second that the team reads from a buffer larger than the caches; the best of a
// few passes, a fraction of a second in all.
double measure_read_gbs(kernels::ThreadPool& pool);

}  // namespace confab::app
