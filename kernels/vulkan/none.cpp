// SPDX-License-Identifier: MIT
// confab built without Vulkan: there is no graphics processor.
#include "kernels/vulkan/gpu.h"

namespace confab::kernels::vulkan {

struct GpuState {};

std::vector<GpuInfo> list_gpus() {
  return {};
}

Buffer::~Buffer() = default;

Commands::Commands(Gpu& gpu, bool) : gpu_(*gpu.state_) {}
Commands::~Commands() = default;
void Commands::barrier() {}
void Commands::copy(const Buffer&, std::size_t, const Buffer&, std::size_t, std::size_t) {}
void Commands::end() {}
void Commands::dispatch_bytes(const Program&, std::span<const std::byte>, Grid) {}
std::vector<Commands::Time> Commands::times() const {
  return {};
}

Gpu::Gpu(const GpuInfo& info) {
  throw GpuError(GpuError::Kind::unusable, info.name + ": confab was built without Vulkan");
}
Gpu::~Gpu() = default;

}  // namespace confab::kernels::vulkan
