// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <random>

#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::kernels::vulkan {
namespace {

std::vector<std::byte> some_bytes(std::size_t n) {
  std::mt19937 rng(20261125);
  std::vector<std::byte> bytes(n);
  for (std::byte& b : bytes) b = static_cast<std::byte>(rng());
  return bytes;
}

void copy_now(Gpu& gpu, const Buffer& from, const Buffer& to, std::size_t n) {
  Commands commands(gpu);
  commands.copy(from, 0, to, 0, n);
  commands.end();
  gpu.run(commands);
}

TEST(GpuBufferTest, BytesComeBackFromTheDevice) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*some_gpu());
  const std::vector<std::byte> bytes = some_bytes(100'003);
  const Buffer up = gpu.allocate(bytes.size(), Memory::upload);
  const Buffer device = gpu.allocate(bytes.size(), Memory::device);
  const Buffer down = gpu.allocate(bytes.size(), Memory::readback);
  EXPECT_EQ(device.data(), nullptr);
  EXPECT_NE(device.address(), 0U);
  std::memcpy(up.data(), bytes.data(), bytes.size());
  copy_now(gpu, up, device, bytes.size());
  copy_now(gpu, device, down, bytes.size());
  EXPECT_EQ(std::memcmp(down.data(), bytes.data(), bytes.size()), 0);
}

TEST(GpuBufferTest, IsMoved) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*some_gpu());
  Buffer first = gpu.allocate(1024, Memory::shared);
  const std::uint64_t address = first.address();
  Buffer second = std::move(first);
  EXPECT_EQ(second.address(), address);
  EXPECT_NE(second.data(), nullptr);
  second = Buffer();
  EXPECT_EQ(second.size(), 0U);
}

TEST(GpuBufferTest, MemoryThatIsNotThereIsToldApart) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*some_gpu());
  try {
    const Buffer all = gpu.allocate(std::size_t{1} << 60, Memory::device);
    FAIL() << "allocated an exbibyte";
  } catch (const GpuError& error) {
    EXPECT_EQ(error.kind, GpuError::Kind::out_of_memory) << error.what();
  }
}

TEST(GpuBufferTest, PagesOfThisProcessAreReadWithoutACopy) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*some_gpu());
  const std::vector<std::byte> bytes = some_bytes(64 * 1024);
  void* pages =
      mmap(nullptr, bytes.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  std::memcpy(pages, bytes.data(), bytes.size());
  {
    const Buffer imported = gpu.import({static_cast<const std::byte*>(pages), bytes.size()});
    if (imported.size() > 0) {
      const Buffer down = gpu.allocate(bytes.size(), Memory::readback);
      copy_now(gpu, imported, down, bytes.size());
      EXPECT_EQ(std::memcmp(down.data(), bytes.data(), bytes.size()), 0);
    }
    // Bytes within pages are where they were in these.
    const Buffer within = gpu.import({static_cast<const std::byte*>(pages) + 80, 4096});
    EXPECT_EQ(within.size() > 0, imported.size() > 0);
    EXPECT_EQ(within.address() % 4096, within.size() > 0 ? 80U : 0U);
  }
  munmap(pages, bytes.size());
}

}  // namespace
}  // namespace confab::kernels::vulkan
