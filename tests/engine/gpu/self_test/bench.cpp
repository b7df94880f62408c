// SPDX-License-Identifier: MIT
#include "tests/engine/gpu/self_test/bench.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "kernels/block.h"

namespace confab::engine {

using kernels::vulkan::Buffer;
using kernels::vulkan::Commands;
using kernels::vulkan::Memory;

namespace {

constexpr double kMostNmse = 5e-4;

// As common.glsl has them: the values of a quarter in this order, so much smaller.
constexpr std::size_t kHalvesOrder[] = {0, 2, 1, 3};
constexpr float kSmaller = 1.0F / 16;

}  // namespace

Bench::Bench(const kernels::vulkan::GpuInfo& info)
    : gpu_(info),
      up_(gpu_.allocate(kStagingBytes, Memory::upload)),
      down_(gpu_.allocate(kStagingBytes, Memory::readback)) {}

std::vector<float> Bench::random(std::size_t n, float size) {
  std::vector<float> values(n);
  for (float& value : values)
    value = size * (static_cast<float>(rng_() >> 8) / static_cast<float>(1 << 23) - 1);
  return values;
}

// Through staging memory of kStagingBytes, piece by piece: a mixture of true size has more.
void Bench::put_bytes(const Buffer& to, std::size_t offset, std::span<const std::byte> bytes) {
  if (offset > to.size() || bytes.size() > to.size() - offset)
    throw std::out_of_range("put beyond the end of a buffer");
  while (!bytes.empty()) {
    const std::span piece = bytes.first(std::min(bytes.size(), kStagingBytes));
    std::memcpy(up_.data(), piece.data(), piece.size());
    Commands commands(gpu_);
    commands.copy(up_, 0, to, offset, piece.size());
    commands.end();
    gpu_.run(commands);
    bytes = bytes.subspan(piece.size());
    offset += piece.size();
  }
}

void Bench::get_bytes(const Buffer& from, std::size_t offset, std::span<std::byte> bytes) {
  if (offset > from.size() || bytes.size() > from.size() - offset)
    throw std::out_of_range("get beyond the end of a buffer");
  while (!bytes.empty()) {
    const std::span piece = bytes.first(std::min(bytes.size(), kStagingBytes));
    Commands commands(gpu_);
    commands.copy(from, offset, down_, 0, piece.size());
    commands.end();
    gpu_.run(commands);
    std::memcpy(piece.data(), down_.data(), piece.size());
    bytes = bytes.subspan(piece.size());
    offset += piece.size();
  }
}

std::vector<float> Bench::put_activations(const Buffer& to, const GpuActivations& at,
                                          std::size_t n) {
  std::vector<float> values(n), scales = random((n + 31) / 32), sums((n + 15) / 16);
  std::vector<std::int8_t> codes(n);
  std::vector<std::uint16_t> halves(n);
  for (float& scale : scales) scale = (scale + 1.5F) / 127;
  for (std::size_t i = 0; i < n; ++i) {
    codes[i] = static_cast<std::int8_t>(static_cast<int>(random_below(255)) - 127);
    values[i] = scales[i / 32] * static_cast<float>(codes[i]);
    sums[i / 16] += values[i];
  }
  for (std::size_t i = 0; i < n; ++i)
    halves[i] = kernels::f32_to_f16(kSmaller * values[i / 4 * 4 + kHalvesOrder[i % 4]]);
  put(to, at.packed.codes, codes);
  put(to, at.packed.scales, scales);
  put(to, at.packed.sums, sums);
  put(to, at.floats, values);
  put(to, at.halves, halves);
  return values;
}

std::vector<float> Bench::get_packed(const Buffer& from, const GpuPacked& at, std::size_t n) {
  const auto codes = get<std::int8_t>(from, at.codes, n);
  const auto scales = get<float>(from, at.scales, n / 32);
  const auto sums = get<float>(from, at.sums, n / 16);
  std::vector<float> values(n), expected(n / 16);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = scales[i / 32] * static_cast<float>(codes[i]);
    expected[i / 16] += values[i];
  }
  return are_alike(sums, expected) ? values : std::vector<float>(n);
}

std::vector<float> Bench::get_halves(const Buffer& from, std::uint64_t address, std::size_t n) {
  const auto halves = get<std::uint16_t>(from, address, n);
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i / 4 * 4 + kHalvesOrder[i % 4]] = kernels::f16_to_f32(halves[i]) / kSmaller;
  return values;
}

bool are_alike(std::span<const float> got, std::span<const float> want) noexcept {
  assert(got.size() == want.size());
  double error = 0, square = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    error += std::pow(double{got[i]} - double{want[i]}, 2);
    square += std::pow(double{want[i]}, 2);
  }
  return error <= kMostNmse * square;  // false of what is not a number
}

}  // namespace confab::engine
