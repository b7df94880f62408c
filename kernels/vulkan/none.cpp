// SPDX-License-Identifier: MIT
// Replaces this folder if confab is built without Vulkan: there are no graphics processors.
#include <cstdlib>

#include "kernels/vulkan/gpu.h"

namespace confab::kernels::vulkan {

struct GpuState {};

std::vector<GpuInfo> list_gpus() {
  return {};
}

std::string_view name(Shader) noexcept {
  return {};
}

std::uint64_t programs_digest() noexcept {
  return 0;
}

bool has_format(std::uint32_t) noexcept {
  return false;
}

Buffer::~Buffer() = default;
void Buffer::swap(Buffer&) noexcept {}

Commands::Commands(Gpu& gpu, bool) : gpu_(*gpu.state_) {}
Commands::~Commands() = default;
void Commands::barrier() {}
void Commands::copy(const Buffer&, std::size_t, const Buffer&, std::size_t, std::size_t) {}
void Commands::fill_with_zeros(const Buffer&, std::size_t, std::size_t) {}
void Commands::end() {}
void Commands::bind(const Program&, std::span<const std::byte>) {}
void Commands::add_dispatch(const Program&, Grid) {}
void Commands::add_dispatch(const Program&, const WrittenGrid&) {}
void Commands::barrier_for_grids() {}
std::vector<double> Commands::times() const {
  return {};
}

Gpu::Gpu(const GpuInfo& info) {
  throw GpuError(GpuError::Kind::unusable, info.name + ": confab was built without Vulkan");
}
Gpu::~Gpu() = default;

// No Gpu can be created, so these are never called.
const GpuInfo& Gpu::info() const noexcept {
  std::abort();
}
Buffer Gpu::allocate(std::size_t, Memory) {
  std::abort();
}
Buffer Gpu::import(std::span<const std::byte>) noexcept {
  std::abort();
}
const Program& Gpu::program(Shader, std::uint32_t, std::span<const std::uint32_t>) {
  std::abort();
}
void Gpu::run(const Commands&) {
  std::abort();
}
void Gpu::submit(const Commands&) {
  std::abort();
}
void Gpu::wait() {
  std::abort();
}
void Gpu::drain() noexcept {
  std::abort();
}

}  // namespace confab::kernels::vulkan
