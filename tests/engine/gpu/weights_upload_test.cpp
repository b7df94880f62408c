// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_weights.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "kernels/thread_pool.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {
namespace {

using kernels::vulkan::Buffer;
using kernels::vulkan::Commands;
using kernels::vulkan::Gpu;
using kernels::vulkan::Memory;

std::vector<std::byte> some_bytes(std::size_t n) {
  std::mt19937_64 rng(20261125);
  std::vector<std::byte> bytes((n + 7) / 8 * 8);
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    const std::uint64_t word = rng();
    std::memcpy(bytes.data() + i, &word, sizeof word);
  }
  bytes.resize(n);
  return bytes;
}

std::vector<std::byte> read_back(Gpu& gpu, const Buffer& from) {
  const Buffer down = gpu.allocate(from.size(), Memory::readback);
  Commands commands(gpu);
  commands.copy(from, 0, down, 0, from.size());
  commands.end();
  gpu.run(commands);
  return {down.data(), down.data() + down.size()};
}

// More than both halves hold, in pieces that end anywhere in them; by a team.
TEST(WeightsUploadTest, BytesAreWhereTheyBelongWhenItIsFinished) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*kernels::vulkan::some_gpu());
  constexpr std::size_t kHalf = WeightsUpload::kStagingBytes / 2, kAll = 3 * kHalf + 12'345;
  const std::vector<std::byte> bytes = some_bytes(kAll);
  const Buffer device = gpu.allocate(kAll, Memory::device);
  std::size_t n_read = 0, most = 0;
  kernels::ThreadPool team(3);
  WeightsUpload upload(gpu, &team, [&](std::size_t n) {
    n_read += n;
    most = std::max(most, n);
  });
  std::size_t at = 0;
  for (const std::size_t n : {std::size_t{1}, kHalf, std::size_t{77}, kAll}) {
    const std::size_t n_now = std::min(n, kAll - at);
    upload.put(std::span(bytes).subspan(at, n_now), nullptr, device, at);
    at += n_now;
    EXPECT_EQ(n_read, at);
  }
  upload.finish();
  EXPECT_LE(most, kHalf) << "told often enough";
  EXPECT_TRUE(read_back(gpu, device) == bytes);
}

// Of `bytes` rows that are taken apart, what a device has of each.
void expect_apart(Gpu& gpu, kernels::Dtype dtype, std::int64_t n_cols, std::size_t n_row) {
  // The first half ends within a row.
  const std::vector<std::byte> bytes =
      some_bytes((WeightsUpload::kStagingBytes / 2 / n_row + 3) * n_row);
  const auto planes = RowPlanes::of({dtype, bytes.data(), n_cols, n_row});
  ASSERT_TRUE(planes);
  std::vector<std::byte> expected(bytes.size() / n_row * planes->stride);
  planes->take_apart(bytes, expected.data());
  const Buffer device = gpu.allocate(expected.size(), Memory::device);
  kernels::ThreadPool team(2);
  for (kernels::ThreadPool* const reader : {&team, static_cast<kernels::ThreadPool*>(nullptr)}) {
    std::size_t n_read = 0;
    WeightsUpload upload(gpu, reader, [&](std::size_t n) { n_read += n; });
    upload.put(bytes, &*planes, device, 0);
    upload.finish();
    EXPECT_EQ(n_read, bytes.size());
    const std::vector<std::byte> there = read_back(gpu, device);
    for (std::size_t row = 0; row < expected.size(); row += planes->stride)
      ASSERT_TRUE(std::equal(&expected[row], &expected[row] + n_row, &there[row])) << row;
  }
}

TEST(WeightsUploadTest, RowsAreTakenApartWhole) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*kernels::vulkan::some_gpu());
  expect_apart(gpu, kernels::Dtype::Q8_0, 256, 8 * 34);
  expect_apart(gpu, kernels::Dtype::Q6_K, 768, 3 * 210);  // each with ten bytes more
}

TEST(WeightsUploadTest, EndsInTheMiddleAndTheDeviceGoesOn) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*kernels::vulkan::some_gpu());
  const std::vector<std::byte> bytes = some_bytes(2 * WeightsUpload::kStagingBytes);
  const Buffer device = gpu.allocate(bytes.size(), Memory::device);
  std::size_t n_read = 0;
  try {
    WeightsUpload upload(gpu, nullptr, [&](std::size_t n) {
      n_read += n;
      if (n_read >= WeightsUpload::kStagingBytes) throw std::runtime_error("enough");
    });
    upload.put(bytes, nullptr, device, 0);
    FAIL() << "went on";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "enough");
  }
  EXPECT_EQ(n_read, WeightsUpload::kStagingBytes);
  WeightsUpload again(gpu, nullptr, [](std::size_t) {});
  again.put(bytes, nullptr, device, 0);
  again.finish();
  EXPECT_TRUE(read_back(gpu, device) == bytes);
}

}  // namespace
}  // namespace confab::engine
