// SPDX-License-Identifier: MIT
// `confab devices`: what models can run on.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "app/options.h"
#include "kernels/vulkan/gpu.h"

namespace confab::app {

// 0, also where there is no graphics processor. Throws UserError.
int run_devices(const DevicesQuery& query, std::ostream& out);

// The same of these graphics processors and this one, described in a line.
std::string devices_text(const std::vector<kernels::vulkan::GpuInfo>& gpus,
                         const std::string& processor);
std::string devices_json(const std::vector<kernels::vulkan::GpuInfo>& gpus,
                         const std::string& processor);

}  // namespace confab::app
