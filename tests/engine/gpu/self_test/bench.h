// SPDX-License-Identifier: MIT
// What the self-test of a graphics processor works with: random values, their way to the device's
// memory and back, and the comparison of what came back with what was expected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "engine/gpu/gpu_buffers.h"
#include "kernels/vulkan/gpu.h"

namespace confab::engine {

class Bench {
 public:
  // Of one copy to or from the device; put() and get() take any size.
  static constexpr std::size_t kStagingBytes = std::size_t{8} << 20;

  explicit Bench(const kernels::vulkan::GpuInfo& info);

  kernels::vulkan::Gpu& gpu() noexcept { return gpu_; }

  // Between -size and size; the same ones in each run of the program.
  std::vector<float> random(std::size_t n, float size = 1);
  std::uint32_t random_below(std::uint32_t n) { return static_cast<std::uint32_t>(rng_() % n); }

  // address: in the buffer. Throw GpuError.
  template <typename T>
  void put(const kernels::vulkan::Buffer& to, std::uint64_t address, const std::vector<T>& values) {
    put_bytes(to, address - to.address(), std::as_bytes(std::span(values)));
  }
  template <typename T>
  std::vector<T> get(const kernels::vulkan::Buffer& from, std::uint64_t address, std::size_t n) {
    std::vector<T> values(n);
    get_bytes(from, address - from.address(), std::as_writable_bytes(std::span(values)));
    return values;
  }
  // n random activations in all their forms (common.glsl); what each of these stands for.
  std::vector<float> put_activations(const kernels::vulkan::Buffer& to, const GpuActivations& at,
                                     std::size_t n);
  // What packed activations stand for, and f16.
  std::vector<float> get_packed(const kernels::vulkan::Buffer& from, const GpuPacked& at,
                                std::size_t n);
  std::vector<float> get_halves(const kernels::vulkan::Buffer& from, std::uint64_t address,
                                std::size_t n);

 private:
  void put_bytes(const kernels::vulkan::Buffer& to, std::size_t offset,
                 std::span<const std::byte> bytes);
  void get_bytes(const kernels::vulkan::Buffer& from, std::size_t offset,
                 std::span<std::byte> bytes);

  kernels::vulkan::Gpu gpu_;
  std::mt19937 rng_{20261126};
  kernels::vulkan::Buffer up_, down_;
};

// Whether these are the same but for rounding: that of packed activations stays far below the
// bound (NMSE 1e-4), and one wrong value of a thousand goes beyond it.
bool are_alike(std::span<const float> got, std::span<const float> want) noexcept;

}  // namespace confab::engine
