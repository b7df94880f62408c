// SPDX-License-Identifier: MIT
#include "kernels/vulkan/gpu.h"

#include <gtest/gtest.h>

#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::kernels::vulkan {
namespace {

TEST(GpuTest, OneThatIsNotThereIsRefusedByName) {
  GpuInfo missing;
  missing.index = 4711;
  missing.name = "Imaginary 4711";
  try {
    const Gpu gpu(missing);
    FAIL() << "opened";
  } catch (const GpuError& error) {
    EXPECT_EQ(error.kind, GpuError::Kind::unusable);
    EXPECT_NE(std::string(error.what()).find("Imaginary 4711"), std::string::npos) << error.what();
  }
}

TEST(GpuTest, RunsOneListAfterAnother) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*some_gpu());
  EXPECT_EQ(gpu.info().name, some_gpu()->name);
  const Buffer from = gpu.allocate(64, Memory::upload), to = gpu.allocate(64, Memory::readback);
  Commands commands(gpu);
  commands.copy(from, 0, to, 0, 64);
  commands.end();
  for (int i = 0; i < 3; ++i) {
    from.data()[0] = static_cast<std::byte>(i + 1);
    gpu.submit(commands);
    gpu.wait();
    EXPECT_EQ(to.data()[0], static_cast<std::byte>(i + 1));
  }
  gpu.wait();  // for nothing
}

}  // namespace
}  // namespace confab::kernels::vulkan
