// SPDX-License-Identifier: MIT
#include "app/tools/device_bandwidth.h"

#include <algorithm>
#include <chrono>

namespace confab::app {
namespace {

using kernels::vulkan::Buffer;
using kernels::vulkan::Commands;
using kernels::vulkan::Gpu;
using kernels::vulkan::GpuError;
using kernels::vulkan::Memory;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kBytes = std::size_t{256} << 20;
constexpr int kMostCopies = 64;
constexpr Seconds kLongEnough{0.02};  // that starting and waiting are no part of it

// The less of two runs: the first one finds clocks down and pages that are not there yet.
Seconds time_copies(Gpu& gpu, const Buffer& from, const Buffer& to, int n_copies) {
  Commands commands(gpu);
  commands.fill_with_zeros(from, 0, kBytes);
  for (int i = 0; i < n_copies; ++i) {
    commands.barrier();
    commands.copy(i % 2 == 0 ? from : to, 0, i % 2 == 0 ? to : from, 0, kBytes);
  }
  commands.end();
  Seconds least{0};
  for (int i = 0; i < 2; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    gpu.run(commands);
    const Seconds took = std::chrono::steady_clock::now() - begin;
    least = i == 0 ? took : std::min(least, took);
  }
  return least;
}

}  // namespace

double measure_device_gbs(const kernels::vulkan::GpuInfo& info) try {
  Gpu gpu(info);
  const Buffer from = gpu.allocate(kBytes, Memory::device);
  const Buffer to = gpu.allocate(kBytes, Memory::device);
  double best = 0;
  for (int n_copies = 1; n_copies <= kMostCopies; n_copies *= 2) {
    const Seconds took = time_copies(gpu, from, to, n_copies);
    const double n_bytes = (1 + 2.0 * n_copies) * static_cast<double>(kBytes);
    best = std::max(best, n_bytes / took.count() / 1e9);
    if (took > kLongEnough) break;
  }
  return best;
} catch (const GpuError&) {
  return 0;
}

}  // namespace confab::app
