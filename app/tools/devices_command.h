// SPDX-License-Identifier: MIT
// `confab devices`: lists what models can run on.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "app/options.h"
#include "kernels/vulkan/gpu.h"

namespace confab::app {

// Returns 0, even if there is no graphics processor. Throws UserError.
int run_devices(const DevicesQuery& query, std::ostream& out);

// The output for these graphics processors and for the processor, which is described in one line.
std::string devices_text(const std::vector<kernels::vulkan::GpuInfo>& gpus,
                         const std::string& processor);
std::string devices_json(const std::vector<kernels::vulkan::GpuInfo>& gpus,
                         const std::string& processor);

}  // namespace confab::app
