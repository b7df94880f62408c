// SPDX-License-Identifier: MIT
#include "app/tools/device_bandwidth.h"

#include <algorithm>
#include <chrono>

#include "engine/gpu/shader_arguments.h"

namespace confab::app {
namespace {

using engine::GpuMatrix;
using engine::MatvecArguments;
using kernels::vulkan::Buffer;
using kernels::vulkan::Commands;
using kernels::vulkan::Gpu;
using kernels::vulkan::GpuError;
using kernels::vulkan::Memory;
using kernels::vulkan::Shader;
using Seconds = std::chrono::duration<double>;

// Q8_0 in planes, the format whose rows are read in the largest pieces (shaders/formats.glsl).
constexpr std::uint32_t kFormat = 264, kColumns = 8192, kRows = 32768;
constexpr std::uint32_t kRowBytes = kColumns / 32 * 34;
constexpr std::size_t kBytes = std::size_t{kRows} * kRowBytes;
constexpr std::uint32_t kSubgroups = 8, kRowsOfSubgroup = 2, kSteps = 2;
constexpr int kMostReads = 256;
constexpr Seconds kLongEnough{0.02};  // that starting and waiting are no part of it

// A matrix by one row of activations, as decoding reads it. (A copy would not do: on an
// H200 the driver's is four times slower than what programs read.)
class Product {
 public:
  explicit Product(Gpu& gpu)
      : gpu_(gpu),
        w_(gpu.allocate(kBytes, Memory::device)),
        xy_(gpu.allocate(2 * kColumns + kRows * sizeof(float), Memory::device)) {
    Commands commands(gpu);
    commands.fill_with_zeros(w_, 0, kBytes);
    commands.fill_with_zeros(xy_, 0, xy_.size());
    commands.end();
    gpu.run(commands);
  }

  // The least of some runs: the first one finds clocks down and pages that are not there yet.
  Seconds time(int n_reads) const {
    Commands commands(gpu_);
    for (int i = 0; i < n_reads; ++i) record(commands);
    commands.end();
    Seconds least{0};
    for (int i = 0; i < 3; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      gpu_.run(commands);
      const Seconds took = std::chrono::steady_clock::now() - begin;
      least = i == 0 ? took : std::min(least, took);
      if (i == 1 && least > kLongEnough) break;
    }
    return least;
  }

 private:
  void record(Commands& commands) const {
    GpuMatrix matrix;
    matrix.data = w_.address();
    matrix.n_rows = kRows;
    matrix.n_cols = kColumns;
    matrix.row_bytes = kRowBytes;
    MatvecArguments arguments(matrix, 0);
    const std::uint64_t x = xy_.address();
    arguments.x = {.codes = x, .scales = x + kColumns, .sums = x + kColumns + kColumns / 8};
    arguments.y.codes = x + 2 * kColumns;
    const auto subgroup = static_cast<std::uint32_t>(gpu_.info().subgroup_size);
    const auto most = static_cast<std::uint32_t>(gpu_.info().n_workgroup_max) / subgroup;
    const std::uint32_t n_subgroups = std::min(kSubgroups, most);
    const std::uint32_t constants[] = {n_subgroups * subgroup, 1, kRowsOfSubgroup, 0, 0, 0, kSteps};
    const std::uint32_t n_at_once = n_subgroups * kRowsOfSubgroup;
    commands.dispatch(gpu_.program(Shader::matvec, kFormat, constants), arguments,
                      {(kRows + n_at_once - 1) / n_at_once});
    commands.barrier();
  }

  Gpu& gpu_;
  Buffer w_, xy_;
};

}  // namespace

double measure_device_gbs(const kernels::vulkan::GpuInfo& info) try {
  Gpu gpu(info);
  const Product product(gpu);
  double best = 0;
  for (int n_reads = 1; n_reads <= kMostReads; n_reads *= 2) {
    const Seconds took = product.time(n_reads);
    best = std::max(best, n_reads * static_cast<double>(kBytes) / took.count() / 1e9);
    if (took > kLongEnough) break;
  }
  return best;
} catch (const GpuError&) {
  return 0;
}

}  // namespace confab::app
