// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::kernels::vulkan {
namespace {

// As logits.comp has them.
struct LogitsArguments {
  std::uint64_t logits;
  std::uint32_t n;
  float scale;
  float cap;
};

TEST(GpuCommandsTest, WhatFollowsABarrierSeesWhatWasWritten) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*some_gpu());
  constexpr std::uint32_t kN = 1000;
  std::mt19937 rng(20261125);
  std::normal_distribution<float> normal(0, 20);
  std::vector<float> values(kN);
  for (float& value : values) value = normal(rng);
  const Buffer memory = gpu.allocate(kN * sizeof(float), Memory::shared);
  std::memcpy(memory.data(), values.data(), kN * sizeof(float));
  const std::uint32_t invocations = 64;
  const Program& logits = gpu.program(Shader::logits, 0, {&invocations, 1});
  Commands commands(gpu, true);
  commands.dispatch(logits, LogitsArguments{memory.address(), kN, 0.5F, 0}, {16});
  commands.reads(12);
  commands.moves_cache(34, 5);
  commands.barrier();
  commands.dispatch(logits, LogitsArguments{memory.address(), kN, 3, 30}, {16});
  commands.end();
  gpu.run(commands);
  ASSERT_EQ(commands.dispatches().size(), 2U);
  for (const Commands::Dispatch& dispatch : commands.dispatches()) {
    EXPECT_EQ(dispatch.shader, Shader::logits);
    EXPECT_GT(dispatch.n_instructions, 50);
  }
  EXPECT_EQ(commands.dispatches()[0].weight_bytes, 12U);
  EXPECT_EQ(commands.dispatches()[0].position_bytes, 34U);
  EXPECT_EQ(commands.dispatches()[0].n_positions, 5);
  EXPECT_EQ(commands.dispatches()[1].weight_bytes, 0U);
  EXPECT_EQ(commands.dispatches()[1].position_bytes, 0U);
  for (std::uint32_t i = 0; i < kN; ++i) {
    float got = 0;
    std::memcpy(&got, memory.data() + i * sizeof(float), sizeof(float));
    EXPECT_NEAR(got, 30 * std::tanh(values[i] * 1.5F / 30), 1e-3) << i;
  }
  const std::vector<double> times = commands.times();
  for (const double nanoseconds : times) EXPECT_GE(nanoseconds, 0);
  EXPECT_TRUE(times.empty() || times.size() == 2);
}

TEST(GpuCommandsTest, AGridIsReadWhenItIsWritten) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*some_gpu());
  constexpr std::uint32_t kN = 640;
  const Buffer memory = gpu.allocate(kN * sizeof(float), Memory::shared);
  const Buffer given = gpu.allocate(12, Memory::upload), grids = gpu.allocate(24, Memory::device);
  const std::uint32_t invocations = 64;
  for (const std::uint32_t n_groups : {0U, 3U}) {  // which write all values, however many they are
    const std::vector<float> ones(kN, 1);
    std::memcpy(memory.data(), ones.data(), kN * sizeof(float));
    const std::uint32_t grid[]{n_groups, 1, 1};
    std::memcpy(given.data(), grid, sizeof(grid));
    Commands commands(gpu);
    commands.copy(given, 0, grids, 12, sizeof(grid));
    commands.barrier_for_grids();
    commands.dispatch(gpu.program(Shader::logits, 0, {&invocations, 1}),
                      LogitsArguments{memory.address(), kN, 5, 0}, WrittenGrid{grids, 12});
    commands.end();
    gpu.run(commands);
    std::vector<float> got(kN);
    std::memcpy(got.data(), memory.data(), kN * sizeof(float));
    EXPECT_EQ(got, std::vector<float>(kN, n_groups == 0 ? 1.0F : 5.0F));
  }
}

}  // namespace
}  // namespace confab::kernels::vulkan
