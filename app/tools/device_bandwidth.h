// SPDX-License-Identifier: MIT
// How fast a graphics processor can read its memory: the ceiling of decoding there.
#pragma once

#include "kernels/vulkan/gpu.h"

namespace confab::app {

// Gigabytes (1e9) a second that a product reads which is larger than the device's caches: the best
// of several rounds, less than a second in all but for software. 0: it fails, or has no room for
// 286 MB more.
double measure_device_gbs(const kernels::vulkan::GpuInfo& info);

}  // namespace confab::app
