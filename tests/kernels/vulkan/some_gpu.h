// SPDX-License-Identifier: MIT
// Whatever plays the graphics processor where tests run; Mesa's lavapipe will do.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "kernels/vulkan/gpu.h"

namespace confab::kernels::vulkan {

// Software before hardware, so that tests are the same everywhere.
inline std::optional<GpuInfo> some_gpu() {
  std::optional<GpuInfo> found;
  for (const GpuInfo& gpu : list_gpus())
    if (gpu.lacks.empty() && (!found || gpu.type == GpuInfo::Type::processor)) found = gpu;
  return found;
}

#define CONFAB_NEEDS_GPU()          \
  if (!kernels::vulkan::some_gpu()) \
  GTEST_SKIP() << "no graphics processor here: install mesa-vulkan-drivers"

}  // namespace confab::kernels::vulkan
